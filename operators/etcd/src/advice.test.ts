import { manifestOf } from '@kurator/sdk';
import { describe, expect, it } from 'vitest';
import { adviceOf } from './advice.ts';
import { EtcdCluster } from './resources.ts';

const adviceFor = (spec: object) =>
  adviceOf(manifestOf(EtcdCluster, { metadata: { name: 'shop' }, spec: { version: '3.6.8', ...spec } }) as EtcdCluster);

describe('advice', () => {
  it('has nothing to say of what is odd, with room for its quota', () => {
    expect(adviceFor({ size: 5 })).toEqual([]);
  });

  it.each([
    [2, 'survive the loss of 0, as 1 do', 'give 1 or 3'],
    [4, 'survive the loss of 1, as 3 do', 'give 3 or 5'],
  ])('%i members: no more losses than one less, at a higher price', (size, why, remedy) => {
    const [advice] = adviceFor({ size });
    expect(advice?.reason).toBe('EvenSize');
    expect(advice?.message).toContain(why);
    expect(advice?.message).toContain(remedy);
  });

  it('a quota that the volume has no room for protects nothing', () => {
    const [advice] = adviceFor({ storage: { size: '1Gi' } });
    expect(advice).toMatchObject({ reason: 'QuotaAboveVolume' });
    expect(advice?.message).toContain('spec.quotaBackendBytes');
  });
});
