/** What a registry wants to know before it answers: the header `WWW-Authenticate`. Pure. */

/** One way to log in. */
export interface Challenge {
  /** In lower case: `bearer`, `basic`. */
  readonly scheme: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const PARAMETER = /\s*,?\s*([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/y;
const SCHEME = /\s*,?\s*([\w-]+)(?=\s|,|$)(?!\s*=)/y;
/** A header may have any length up to what HTTP allows; nobody's challenge has more. */
const LONGEST = 8 * 1024;

/** All ways, in the registry's order. What makes no sense ends the list. */
export function parseChallenges(headers: readonly string[]): Challenge[] {
  return headers.flatMap((header) => parseHeader(header.slice(0, LONGEST)));
}

function parseHeader(header: string): Challenge[] {
  const found: Challenge[] = [];
  let at = 0;
  const next = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const match = pattern.exec(header);
    if (match) at = pattern.lastIndex;
    return match;
  };
  for (let scheme = next(SCHEME); scheme; scheme = next(SCHEME)) {
    const parameters: Record<string, string> = {};
    for (let pair = next(PARAMETER); pair; pair = next(PARAMETER)) {
      const [, name = '', quoted, bare = ''] = pair;
      parameters[name.toLowerCase()] = quoted?.replace(/\\(.)/g, '$1') ?? bare;
    }
    found.push({ scheme: (scheme[1] ?? '').toLowerCase(), parameters });
  }
  return found;
}
