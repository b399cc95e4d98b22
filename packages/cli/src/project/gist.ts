/** What Node says of an error, without its own frames. Pure. */
export function gist(said: string): string {
  const lines = said.trim().split('\n');
  const kept = lines.filter((line) => !/^\s+at .*node:internal|^Node\.js v|^node:internal/.test(line));
  return kept.join('\n').trim() || 'it said nothing';
}
