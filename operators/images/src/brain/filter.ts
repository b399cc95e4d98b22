/** Which tags are meant, and what of them says how new they are. By linear-time expressions: tags come from strangers. */
import { RE2JS } from 're2js';

/** As in `spec.filter`. */
export interface Filter {
  readonly pattern?: string | undefined;
  readonly extract?: string | undefined;
  readonly exclude?: string | undefined;
}

/** What a filter makes of a tag. */
export type Filtered = { readonly text: string } | { readonly why: string };

const TAG = /^\w[\w.-]{0,127}$/;

/** @throws Never, for a filter without {@link filterProblems}. */
export function filterOf({ pattern, extract, exclude }: Filter = {}): (tag: string) => Filtered {
  const wanted = pattern === undefined ? undefined : RE2JS.compile(pattern);
  const unwanted = exclude === undefined ? undefined : RE2JS.compile(exclude);
  const names = new Set(Object.keys(wanted?.namedGroups() ?? {}));
  return (tag) => {
    if (!TAG.test(tag)) return { why: 'it is no tag that a pod could name' };
    const matcher = wanted?.matcher(tag);
    if (matcher && !matcher.find()) return { why: 'spec.filter.pattern does not match it' };
    if (unwanted?.matcher(tag).find()) return { why: 'spec.filter.exclude matches it' };
    if (extract === undefined || !matcher) return { text: tag };
    const group = (name: string) => matcher.group(names.has(name) ? name : Number(name)) ?? '';
    return { text: extract.replace(REFERENCE, (_, braced?: string, plain?: string) => group(braced ?? plain ?? '')) };
  };
}

const REFERENCE = /\$(?:\{(\w+)\}|(\w+))/g;

/** What is wrong with it, with the field and the remedy. */
export function filterProblems({ pattern, extract, exclude }: Filter = {}): string[] {
  const problems: string[] = [];
  const compiled = compile('spec.filter.pattern', pattern, problems);
  compile('spec.filter.exclude', exclude, problems);
  if (extract === undefined || problems.length > 0) return problems;
  if (pattern === undefined) return ['spec.filter.extract: there are no groups to take from: give spec.filter.pattern'];
  const known = Object.keys(compiled?.namedGroups() ?? {});
  for (const [, braced, plain = ''] of extract.matchAll(REFERENCE)) {
    const name = braced ?? plain;
    if (known.includes(name) || (/^\d+$/.test(name) && Number(name) <= (compiled?.groupCount() ?? 0))) continue;
    const all = known.length > 0 ? `: it has ${known.join(', ')}` : '; name one with (?P<name>…)';
    problems.push(`spec.filter.extract: spec.filter.pattern has no group ${name}${all}`);
  }
  return problems;
}

function compile(field: string, text: string | undefined, problems: string[]): RE2JS | undefined {
  if (text === undefined) return undefined;
  try {
    return RE2JS.compile(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    problems.push(`${field}: ${why}; write it in RE2's syntax, which has no backreferences and no lookaround`);
    return undefined;
  }
}
