import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { additionOf, type Hook, type RuleSet, removalOf } from './rule-set.ts';

const hooks: readonly Hook[] = ['PREROUTING', 'INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING'];

const example: RuleSet = {
  table: 'mangle',
  id: '7',
  selectors: [
    { hook: 'FORWARD', match: ['-i', 'veth1', '-d', '10.128.66.2'] },
    { hook: 'INPUT', match: ['-i', 'veth1', '-d', '10.128.66.2'] },
  ],
  spared: ['10.128.0.11'],
  verdict: ['-m', 'statistic', '--mode', 'random', '--probability', '0.30000000', '-j', 'DROP'],
};

describe('a rule set', () => {
  it('is added in one transaction', () => {
    expect(additionOf(example)).toBe(`*mangle
:KUR-7 - [0:0]
:KUR-7-FORWARD - [0:0]
:KUR-7-INPUT - [0:0]
-A KUR-7 -s 10.128.0.11 -j RETURN
-A KUR-7 -d 10.128.0.11 -j RETURN
-A KUR-7 -m statistic --mode random --probability 0.30000000 -j DROP
-A KUR-7-FORWARD -i veth1 -d 10.128.66.2 -g KUR-7
-A KUR-7-INPUT -i veth1 -d 10.128.66.2 -g KUR-7
-I FORWARD -j KUR-7-FORWARD
-I INPUT -j KUR-7-INPUT
COMMIT
`);
  });

  it('is removed in one transaction', () => {
    expect(removalOf(example)).toBe(`*mangle
-D FORWARD -j KUR-7-FORWARD
-D INPUT -j KUR-7-INPUT
-F KUR-7-FORWARD
-F KUR-7-INPUT
-F KUR-7
-X KUR-7-FORWARD
-X KUR-7-INPUT
-X KUR-7
COMMIT
`);
  });

  it('leaves, once removed, exactly the rules that were there, in whatever order faults come and go', () => {
    const words = fc.constantFrom(
      ['-i', 'eth0'],
      ['-o', 'veth1'],
      ['-s', '10.0.0.1'],
      ['-d', '10.0.0.0/8'],
      ['-p', 'tcp', '--dport', '80'],
    );
    const selectors = fc.array(
      fc.record({ hook: fc.constantFrom(...hooks), match: fc.array(words).map((it) => it.flat()) }),
      { minLength: 1 },
    );
    const ranges = fc.array(fc.constantFrom('10.0.0.2', '10.1.0.0/16'));
    const sets = fc
      .array(fc.record({ selectors, spared: ranges, verdict: fc.constant(['-j', 'DROP']) }), {
        minLength: 1,
        maxLength: 4,
      })
      .map((all) => all.map((set, index): RuleSet => ({ ...set, table: 'mangle', id: String(index + 1) })));
    fc.assert(
      fc.property(sets, fc.infiniteStream(fc.nat()), (all, choices) => {
        const table = kubeProxysTable();
        for (const set of all) restore(table, additionOf(set));
        const present = [...all];
        while (present.length > 0) {
          const [removed] = present.splice((choices.next().value as number) % present.length, 1);
          restore(table, removalOf(removed as RuleSet));
        }
        expect(table).toEqual(kubeProxysTable());
      }),
    );
  });

  it('has no chain whose name is too long for iptables, for a million faults', () => {
    const set = { ...example, id: '999999', selectors: hooks.map((hook) => ({ hook, match: [] })) };
    const names = [...additionOf(set).matchAll(/^:(\S+)/gm)].map(([, name = '']) => name);
    expect(Math.max(...names.map((name) => name.length))).toBeLessThanOrEqual(28);
  });
});

type Table = Map<string, string[]>;

function kubeProxysTable(): Table {
  return new Map([...hooks.map((hook) => [hook, [`-j KUBE-${hook}`]] as [string, string[]]), ['KUBE-CANARY', []]]);
}

/** As much of `iptables-restore --noflush` as the rule sets use, with the kernel's refusals. */
const commands: Readonly<Record<string, (rules: string[], rule: string, chain: string, table: Table) => void>> = {
  '-A': (rules, rule) => rules.push(rule),
  '-I': (rules, rule) => rules.unshift(rule),
  '-F': (rules) => {
    rules.length = 0;
  },
  '-D': (rules, rule) => {
    if (!rules.includes(rule)) throw new Error(`no rule ${rule}`);
    rules.splice(rules.indexOf(rule), 1);
  },
  '-X': (rules, _, chain, table) => {
    const used = [...table.values()].flat().some((it) => it.endsWith(` ${chain}`));
    if (rules.length > 0 || used) throw new Error(`${chain} is in use`);
    table.delete(chain);
  },
};

function restore(table: Table, input: string): void {
  for (const line of input.trim().split('\n').slice(1, -1)) {
    const [command = '', chain = '', ...rest] = line.split(' ');
    if (command.startsWith(':')) {
      table.set(command.slice(1), []);
      continue;
    }
    const rules = table.get(chain);
    if (!rules) throw new Error(`no chain ${chain}`);
    commands[command]?.(rules, rest.join(' '), chain, table);
  }
}
