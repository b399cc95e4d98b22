/** Pages of text for people: titles, fields, sentences, and what was quoted from elsewhere. Pure. */
import { type Screen, safeLine, safeText, type Tone, wrap } from '@kurator/command';

/** One field of a page: its name, what it says, and the colour of that. */
export type Field = readonly [name: string, value: string | undefined, tone?: Tone | undefined];

/** Writes a page for a screen. Whatever it is given is made safe to print. */
export class Page {
  readonly #lines: string[] = [];
  readonly #screen: Screen;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  title(text: string): void {
    if (this.#lines.length > 0) this.#lines.push('');
    this.#lines.push(this.#screen.paint('bold', this.#wrapped(text, '')));
  }

  /** Those that say nothing are left out. */
  fields(fields: readonly Field[], indent = ''): void {
    const given = fields.filter(([, value]) => value !== undefined && value !== '');
    const width = Math.max(0, ...given.map(([name]) => name.length));
    for (const [name, value = '', tone] of given) {
      const label = `${indent}${name.padEnd(width)}  `;
      const text = this.#wrapped(value, label);
      this.#lines.push(this.#screen.paint('dim', label) + this.#screen.paint(tone, text.slice(label.length)));
    }
  }

  /** A sentence after a mark: `- `, or a time. */
  item(text: string, mark = '  - ', tone?: Tone): void {
    const wrapped = this.#wrapped(text, mark);
    this.#lines.push(this.#screen.paint('dim', mark) + this.#screen.paint(tone, wrapped.slice(mark.length)));
  }

  items(texts: readonly string[] | undefined, mark?: string): void {
    for (const text of texts ?? []) this.item(text, mark);
  }

  /** As it was written, each line behind a bar. */
  quote(text: string, indent: string): void {
    const bar = this.#screen.paint('dim', `${indent}| `);
    for (const line of safeText(text).trimEnd().split('\n')) this.#lines.push(bar + line);
  }

  text(): string {
    return this.#lines.join('\n');
  }

  #wrapped(text: string, first: string): string {
    return wrap(safeLine(text), this.#screen.width, first);
  }
}
