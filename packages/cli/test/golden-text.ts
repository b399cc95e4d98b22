/** Files as one text, for golden tests: what a template makes is read there as a user would get it. */
import type { PlannedFile } from '../src/files/template.ts';

export function goldenText(files: readonly PlannedFile[]): string {
  return files.map(({ path, text }) => `════ ${path}\n${text}`).join('\n');
}
