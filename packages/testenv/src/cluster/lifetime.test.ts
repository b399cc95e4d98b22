import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ownerToken } from '../process/owner.ts';
import { clustersFolder } from './cluster-config.ts';
import { claimFolder, lifeOf, sweepLeftovers } from './lifetime.ts';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'kurator-lifetime-'));
  vi.stubEnv('XDG_STATE_HOME', home);
  await mkdir(clustersFolder(), { recursive: true });
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(home, { recursive: true });
});

/** The token of a process that can't be alive: its start lies before the machine's. */
const deadToken = () => ownerToken().replace(/^\d+-\d+/, '1-0');

describe('claimFolder', () => {
  it('lets exactly one of many have a name', async () => {
    const folder = join(clustersFolder(), 'wanted');
    const claims = await Promise.all(Array.from({ length: 20 }, () => claimFolder(folder, async () => {})));
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(await readdir(clustersFolder())).toEqual(['wanted']);
  });

  it('leaves nothing when the folder could not be prepared', async () => {
    const failing = claimFolder(join(clustersFolder(), 'wanted'), () => Promise.reject(new Error('disk full')));
    await expect(failing).rejects.toThrow('disk full');
    expect(await readdir(clustersFolder())).toEqual([]);
  });
});

describe('lifeOf', () => {
  it('knows a living holder from a dead one', async () => {
    const [living, dead] = [join(clustersFolder(), 'living'), join(clustersFolder(), 'dead')];
    await claimFolder(living, async () => {});
    await claimFolder(dead, (claim) => writeFile(join(claim, 'owner'), `supervisor ${deadToken()}`));
    expect(await lifeOf(living)).toBe('alive');
    expect(await lifeOf(dead)).toBe('dead');
  });
});

describe('sweepLeftovers', () => {
  it('removes what dead processes left, and nothing else', async () => {
    const kept = [`.claim-${ownerToken()}`, 'a-cluster'];
    const ofEarlierBoot = ownerToken().replace(/-[0-9a-f]{8}(-[0-9a-f]{8}-[0-9a-f]{8})$/, '-00000000$1');
    for (const name of [...kept, `.claim-${deadToken()}`, `.dead-${deadToken()}`, `.dead-${ofEarlierBoot}`])
      await mkdir(join(clustersFolder(), name));
    await sweepLeftovers();
    expect((await readdir(clustersFolder())).sort()).toEqual(kept.sort());
  });
});
