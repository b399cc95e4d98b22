import { plain } from '@kurator/command';
import { describe, expect, it } from 'vitest';
import { allHold, claimLines, type Outcome, summary } from './summary.ts';

const screen = { width: undefined, paint: plain };
const hang: Outcome = {
  fault: 'one cart hangs',
  foundAfter: 3240,
  recoveredAfter: 7100,
  lost: 0,
  sent: 142,
  done: 'replaced cart-1',
  claims: [{ text: 'the cause was found', holds: true }],
};

describe('the summary', () => {
  it('says of each fault how soon, at what price, and by what', () => {
    const worse = {
      ...hang,
      fault: 'a fire',
      foundAfter: undefined,
      recoveredAfter: undefined,
      lost: 12,
      done: 'nothing',
    };
    expect(summary([hang, worse], screen).split('\n')).toEqual([
      'FAULT            FOUND AFTER   WELL AFTER   REQUESTS LOST   WHAT KURATOR DID',
      'one cart hangs   3.2 s         7.1 s        none of 142     replaced cart-1',
      'a fire           never         never        12 of 142       nothing',
    ]);
  });

  it('holds only if every claim about every fault does', () => {
    const broken = { ...hang, claims: [...hang.claims, { text: 'nobody else was touched', holds: false }] };
    expect(allHold([hang])).toBe(true);
    expect(allHold([hang, broken])).toBe(false);
    expect(claimLines(broken.claims, screen)).toEqual(['✓ the cause was found', '✗ not so: nobody else was touched']);
  });
});
