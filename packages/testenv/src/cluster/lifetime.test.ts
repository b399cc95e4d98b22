import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ownerToken } from '../internal/owner.ts';
import { clustersFolder } from './cluster-config.ts';
import { claimFolder, supervisorOf, sweepLeftovers } from './lifetime.ts';

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

const claimAs = (token: string) => (claim: string) => writeFile(join(claim, 'owner'), token);
/** The token of a process that can't be alive: its start lies before the machine's. */
const deadToken = () => ownerToken().replace(/^\d+-\d+/, '1-0');

describe('claimFolder', () => {
  it('lets exactly one of many have a name', async () => {
    const folder = join(clustersFolder(), 'wanted');
    const claims = await Promise.all(Array.from({ length: 20 }, () => claimFolder(folder, claimAs(ownerToken()))));
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(await readdir(clustersFolder())).toEqual(['wanted']);
  });

  it('leaves nothing when the folder could not be prepared', async () => {
    const failing = claimFolder(join(clustersFolder(), 'wanted'), () => Promise.reject(new Error('disk full')));
    await expect(failing).rejects.toThrow('disk full');
    expect(await readdir(clustersFolder())).toEqual([]);
  });
});

describe('supervisorOf', () => {
  it('knows a living owner from a dead one', async () => {
    await claimFolder(join(clustersFolder(), 'living'), claimAs(ownerToken()));
    await claimFolder(join(clustersFolder(), 'dead'), claimAs(deadToken()));
    expect(await supervisorOf(join(clustersFolder(), 'living'))).toEqual({ pid: process.pid, alive: true });
    expect(await supervisorOf(join(clustersFolder(), 'dead'))).toMatchObject({ alive: false });
    expect(await supervisorOf(join(clustersFolder(), 'absent'))).toBeUndefined();
  });
});

describe('sweepLeftovers', () => {
  it('removes what dead processes left, and nothing else', async () => {
    const kept = [`.claim-${ownerToken()}`, 'a-cluster'];
    for (const name of [...kept, `.claim-${deadToken()}`, `.dead-${deadToken()}`])
      await mkdir(join(clustersFolder(), name));
    await sweepLeftovers();
    expect((await readdir(clustersFolder())).sort()).toEqual(kept.sort());
  });
});
