/**
 * A fault's own iptables rules in one network namespace, added and removed in one transaction each. Pure.
 *
 * Each fault has chains of its own, so that others' rules (kube-proxy rewrites many) are never touched: one a hook, which
 * selects packets, and one for all of them that decides what becomes of a selected packet. Selecting is a `goto`: a
 * packet that fits two selectors is decided on once.
 */

/** Where on its way through the kernel a rule sees a packet. */
export type Hook = 'PREROUTING' | 'INPUT' | 'FORWARD' | 'OUTPUT' | 'POSTROUTING';

/** Which packets a rule set is about. */
export interface Selector {
  readonly hook: Hook;
  /** iptables' arguments that say which packets: `['-i', 'eth0', '-s', '10.0.0.1']`. */
  readonly match: readonly string[];
}

/** The rules of one fault in one network namespace and one table. */
export interface RuleSet {
  readonly table: 'mangle' | 'filter' | 'nat';
  /** The fault's id: digits, because a chain's name has room for 28 characters. */
  readonly id: string;
  readonly selectors: readonly Selector[];
  /** Packets from and to these ranges are let go. */
  readonly spared: readonly string[];
  /** What becomes of the others: `['-j', 'DROP']`. */
  readonly verdict: readonly string[];
}

/** What every chain of a fault begins with. */
export function chainPrefix(id: string): string {
  return `KUR-${id}`;
}

/** The input of `iptables-restore --noflush` that puts the rules in force. */
export function additionOf(set: RuleSet): string {
  const { selectors, spared, verdict } = set;
  const decide = chainPrefix(set.id);
  return transaction(set, [
    ...[decide, ...hooksOf(set).map((hook) => chainOf(set, hook))].map((chain) => `:${chain} - [0:0]`),
    ...spared.flatMap((range) => [`-A ${decide} -s ${range} -j RETURN`, `-A ${decide} -d ${range} -j RETURN`]),
    `-A ${decide} ${verdict.join(' ')}`,
    ...selectors.map(({ hook, match }) => `-A ${[chainOf(set, hook), ...match].join(' ')} -g ${decide}`),
    // First, because what comes before may already have let a packet go.
    ...hooksOf(set).map((hook) => `-I ${hook} -j ${chainOf(set, hook)}`),
  ]);
}

/** The input of `iptables-restore --noflush` that takes exactly them away again. */
export function removalOf(set: RuleSet): string {
  const hooks = hooksOf(set);
  const chains = [...hooks.map((hook) => chainOf(set, hook)), chainPrefix(set.id)];
  return transaction(set, [
    ...hooks.map((hook) => `-D ${hook} -j ${chainOf(set, hook)}`),
    // A chain can go only once it is empty and nothing leads to it.
    ...chains.map((chain) => `-F ${chain}`),
    ...chains.map((chain) => `-X ${chain}`),
  ]);
}

function hooksOf({ selectors }: RuleSet): Hook[] {
  return [...new Set(selectors.map(({ hook }) => hook))];
}

function chainOf({ id }: RuleSet, hook: Hook): string {
  return `${chainPrefix(id)}-${hook}`;
}

function transaction({ table }: RuleSet, lines: readonly string[]): string {
  return [`*${table}`, ...lines, 'COMMIT', ''].join('\n');
}
