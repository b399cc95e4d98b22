import { describe, expect, it } from 'vitest';
import type { KeysHash } from './etcd.ts';
import { prove } from './proof.ts';

const of = (revision: number, compactRevision: number, hash: number): KeysHash => ({ revision, compactRevision, hash });
const side =
  (...known: KeysHash[]) =>
  async (revision: number) => {
    const found = known.find((one) => one.revision === revision);
    if (!found) throw new Error(`${revision} is compacted`);
    return found;
  };
const before = of(10, 5, 100);

describe('what a backup is proved by', () => {
  it('is the hash of its last revision, in the cluster and restored', async () => {
    const sides = { scratch: side(of(12, 5, 120)), live: side(of(12, 5, 120)) };
    expect(await prove(12, before, sides)).toEqual(of(12, 5, 120));
  });

  it('is what the cluster said before, where it has compacted since', async () => {
    const scratch = side(of(12, 5, 120), before);
    expect(await prove(12, before, { scratch, live: side(of(12, 11, 121)) })).toEqual(of(12, 5, 120));
    expect(await prove(12, before, { scratch, live: side() })).toEqual(of(12, 5, 120));
  });

  it('is the last revision, where the cluster has compacted before the snapshot began', async () => {
    const sides = { scratch: side(of(12, 11, 120)), live: side(of(12, 11, 120)) };
    expect(await prove(12, before, sides)).toEqual(of(12, 11, 120));
  });

  it('is not there where hashes differ', async () => {
    const scratch = side(of(12, 5, 120), of(10, 5, 99));
    await expect(prove(12, before, { scratch, live: side(of(12, 5, 121)) })).rejects.toThrow("can't be trusted");
    await expect(prove(12, before, { scratch, live: side() })).rejects.toThrow("can't be trusted");
  });

  it('is not there where the snapshot lacks what was written before it, or nothing is left to compare with', async () => {
    await expect(prove(9, before, { scratch: side(), live: side() })).rejects.toThrow('ends at revision 9');
    const scratch = side(of(12, 7, 120), of(10, 7, 100));
    await expect(prove(12, before, { scratch, live: side(of(12, 11, 1)) })).rejects.toThrow('compacted twice');
  });
});
