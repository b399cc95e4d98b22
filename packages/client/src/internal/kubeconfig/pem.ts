import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Section, textIn, wrong } from './section.ts';

/** PEM, and the file it came from, where it came from one. */
export interface Pem {
  readonly text?: string;
  readonly file?: string;
}

/** `FIELD-data` (base64) wins over `FIELD` (a path), as in kubectl. */
export async function pemIn(section: Section, field: string): Promise<Pem> {
  const data = textIn(section, `${field}-data`);
  if (data !== undefined) return { text: decoded(section, `${field}-data`, data) };
  const path = textIn(section, field);
  if (path === undefined) return {};
  const file = resolve(section.folder, path);
  const text = await readFile(file, 'utf8').catch((cause: Error) => {
    throw wrong(`${section.source}: ${field} can't be read: ${cause.message}`, cause);
  });
  return { text, file };
}

const base64 = /^(?:[A-Za-z0-9+/]{4}|\s)*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\s*$/;

// Node decodes what it can and leaves out the rest: half a certificate, or none, would be taken for the whole.
function decoded({ source }: Section, field: string, data: string): string {
  if (base64.test(data)) return Buffer.from(data, 'base64').toString('utf8');
  throw wrong(`${source}: "${field}" must be base64, as "base64 -w0 FILE" writes it`);
}
