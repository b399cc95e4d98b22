import { describe, expect, it } from 'vitest';
import { faultsOptions, help } from './options.ts';

describe('the options of faults', () => {
  it('are three of each unless something else is said', () => {
    const { seeds, kinds, help: isHelp } = faultsOptions([]);
    expect({ seeds, isHelp }).toEqual({ seeds: 3, isHelp: false });
    for (const { name } of kinds) expect(help).toContain(name);
  });

  it('choose some', () => {
    const { seeds, kinds } = faultsOptions(['--seeds', '20', '--only', 'hang,kill']);
    expect(seeds).toBe(20);
    expect(kinds.map(({ name }) => name)).toEqual(['kill', 'hang']);
  });

  it.each([
    [['--only', 'hangs'], '--only: there is no "hangs"; use some of kill,'],
    [['--seeds', 'many'], '--seeds: "many" is not a number above 0'],
  ])('%j is refused with what would be right', (args, message) => {
    expect(() => faultsOptions(args)).toThrow(message);
  });
});
