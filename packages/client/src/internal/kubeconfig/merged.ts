/** Several kubeconfig files as one: what is said first holds, as in kubectl. */
import { asFields, type Section, sectionIn, sectionsIn, textIn, wrong } from './section.ts';

export type EntryKind = 'context' | 'cluster' | 'user';

/** What all the files say together. */
export interface Merged {
  /** How messages call it: the files' names. */
  readonly source: string;
  readonly currentContext: string | undefined;
  /** By name; an entry without content is an error only for the one who wants it. */
  readonly entries: Record<EntryKind, ReadonlyMap<string, Section>>;
}

const lists = { context: 'contexts', cluster: 'clusters', user: 'users' } as const;

export async function parseFile(text: string, source: string, folder: string): Promise<Section> {
  return { source, folder, fields: asFields(await parseYaml(text, source), source) };
}

export function merge(files: readonly Section[]): Merged {
  return {
    source: files.map(({ source }) => source).join(', '),
    currentContext: files.map((file) => textIn(file, 'current-context')).find((name) => name !== undefined),
    entries: {
      context: entriesOf(files, 'context'),
      cluster: entriesOf(files, 'cluster'),
      user: entriesOf(files, 'user'),
    },
  };
}

function entriesOf(files: readonly Section[], kind: EntryKind): Map<string, Section> {
  const entries = new Map<string, Section>();
  for (const entry of files.flatMap((file) => sectionsIn(file, lists[kind]))) {
    const name = String(entry.fields.name);
    if (!entries.has(name)) entries.set(name, entry);
  }
  return entries;
}

export function entryOf({ entries, source }: Merged, kind: EntryKind, name: string): Section {
  const entry = entries[kind].get(name);
  if (!entry) throw wrong(`${source} has no ${kind} "${name}": it has ${namesOf(entries[kind])}`);
  const content = sectionIn(entry, kind);
  if (!content) throw wrong(`${entry.source}: ${kind} "${name}" must be a set of fields`);
  return content;
}

export function namesOf(entries: ReadonlyMap<string, Section>): string {
  return entries.size === 0 ? 'none' : [...entries.keys()].join(', ');
}

async function parseYaml(text: string, source: string): Promise<unknown> {
  // A program in a pod has no kubeconfig: it shouldn't pay for this when it starts.
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text);
  const [error] = document.errors;
  if (!error) return document.toJS();
  // The parser's own message quotes the line that it stumbled on, which may hold a key or a token.
  const [position] = error.linePos ?? [];
  const where = position ? ` at line ${position.line}, column ${position.col}` : '';
  throw wrong(`${source} is not YAML: it can't be parsed${where}`);
}
