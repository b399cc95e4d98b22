import { describe, expect, it } from 'vitest';
import { countsWithoutContainers, missingForContainers } from './containers.mjs';

const everything = 0x1ffffffffffn;
const linuxRoot = { platform: 'linux', uid: 0, capabilities: everything };

describe('missingForContainers', () => {
  it('misses nothing for root on Linux', () => {
    expect(missingForContainers(linuxRoot)).toBeUndefined();
  });

  it.each([
    ['another system', { ...linuxRoot, platform: 'darwin' }, 'they need Linux, and this is darwin'],
    ['an ordinary user', { ...linuxRoot, uid: 1000 }, 'they need root'],
    ['a container without privileges', { ...linuxRoot, capabilities: 0xa80425fbn }, 'CAP_SYS_ADMIN and CAP_NET_ADMIN'],
    ['one capability too few', { ...linuxRoot, capabilities: everything & ~(1n << 12n) }, 'they need CAP_NET_ADMIN,'],
  ])('names what is missing on %s', (_name, machine, sentence) => {
    expect(missingForContainers(machine)).toContain(sentence);
  });
});

describe('countsWithoutContainers', () => {
  it('counts the files as skipped on a developer’s machine', () => {
    expect(countsWithoutContainers({ files: 4, ci: false })).toEqual({ passed: 0, failed: 0, skipped: 4 });
  });

  it('counts them as failed in CI', () => {
    expect(countsWithoutContainers({ files: 4, ci: true })).toEqual({ passed: 0, failed: 4, skipped: 0 });
  });
});
