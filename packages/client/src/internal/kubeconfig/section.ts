/** Reads fields out of parsed YAML; whatever isn't what it should be is an error that names the file and the field. */
import { ClientError } from '../../error.ts';

/** Some fields of a kubeconfig, and the file that they were written in. */
export interface Section {
  readonly fields: Readonly<Record<string, unknown>>;
  /** How messages call the file. */
  readonly source: string;
  /** Relative paths start here. */
  readonly folder: string;
}

export function textIn({ fields, source }: Section, field: string): string | undefined {
  const value = fields[field];
  if (isAbsent(value) || value === '') return undefined;
  if (typeof value !== 'string') throw wrong(`${source}: "${field}" must be text`);
  return value;
}

export function flagIn({ fields, source }: Section, field: string): boolean | undefined {
  const value = fields[field];
  if (isAbsent(value)) return undefined;
  if (typeof value !== 'boolean') throw wrong(`${source}: "${field}" must be true or false`);
  return value;
}

export function textsIn({ fields, source }: Section, field: string): string[] | undefined {
  const value = fields[field];
  if (isAbsent(value)) return undefined;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw wrong(`${source}: "${field}" must be a list of texts`);
}

export function sectionIn(section: Section, field: string): Section | undefined {
  const value = section.fields[field];
  if (isAbsent(value)) return undefined;
  return { ...section, fields: asFields(value, `${section.source}: "${field}"`) };
}

export function sectionsIn(section: Section, field: string): Section[] {
  const value = section.fields[field] ?? [];
  if (!Array.isArray(value)) throw wrong(`${section.source}: "${field}" must be a list`);
  return value.map((item) => ({ ...section, fields: asFields(item, `${section.source}: an item of "${field}"`) }));
}

export function asFields(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw wrong(`${what} must be a set of fields`);
}

export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

export function wrong(message: string, cause?: unknown): ClientError {
  return new ClientError('KUR_CLIENT_KUBECONFIG', message, cause === undefined ? {} : { cause });
}
