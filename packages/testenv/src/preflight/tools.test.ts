import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { findTools, missingPackages, missingTools, type ToolFacts, tools } from './tools.ts';

const all: ToolFacts = {
  programs: Object.fromEntries(tools.map(({ program }) => [program, `/bin/${program}`])),
  cniFolder: '/opt/cni/bin',
  missingPlugins: [],
};

const lacking = (...programs: string[]): ToolFacts => ({
  ...all,
  programs: Object.fromEntries(Object.entries(all.programs).filter(([program]) => !programs.includes(program))),
});

describe('missingPackages', () => {
  it('finds none where all is there', () => {
    expect(missingPackages(all)).toEqual({ required: [], extra: [] });
  });

  it('names a package once that brings several programs', () => {
    expect(missingPackages(lacking('containerd', 'ctr', 'containerd-shim-runc-v2')).required).toEqual(['containerd']);
  });

  it('tells what nodes need from what is good to have, and leaves out what only few want', () => {
    expect(missingPackages(lacking('runc', 'docker-registry', 'mmdebstrap', 'tc'))).toEqual({
      required: ['runc'],
      extra: ['docker-registry', 'mmdebstrap'],
    });
  });

  it('asks for the CNI plugins where none of the folders has all of them', () => {
    const { cniFolder: _gone, ...rest } = all;
    expect(missingPackages({ ...rest, missingPlugins: ['ptp'] }).required).toEqual(['containernetworking-plugins']);
  });
});

describe('a containerd that is there', () => {
  const programs = ['containerd', 'ctr', 'containerd-shim-runc-v2'];

  it.each([
    ['containerd github.com/containerd/containerd 1.4.13~ds1 1.4.13~ds1-1~deb11u4', '1.4.13'],
    ['containerd github.com/containerd/containerd 1.5.9', '1.5.9'],
    ['containerd github.com/containerd/containerd 1.6.20~ds1 1.6.20~ds1-1+b1', undefined],
    ['containerd containerd.io 1.7.27 05044ec0a9a75232cad458027ca83437aae3f4da', undefined],
    ['containerd github.com/containerd/containerd/v2 v2.1.4 75cb2b7193e4e490e9fbdc236c0e811ccaba3376', undefined],
    ['containerd of my own', undefined],
  ])('is taken unless it is too old: %s', async (said, tooOld) => {
    const folder = await mkdtemp(join(tmpdir(), 'tools-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    for (const program of programs) {
      await writeFile(join(folder, program), `#!/bin/sh\necho '${said}'\n`);
      await chmod(join(folder, program), 0o755);
    }
    vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const found = await findTools();
    expect(found.tooOld).toEqual(tooOld === undefined ? {} : { containerd: tooOld });
    for (const program of programs)
      expect(found.programs[program]).toBe(tooOld === undefined ? join(folder, program) : undefined);
    expect(missingPackages(found).required.includes('containerd')).toBe(tooOld !== undefined);
  });
});

it('names what is missing in words', () => {
  const { cniFolder: _gone, ...rest } = lacking('runc', 'mmdebstrap');
  expect(missingTools({ ...rest, missingPlugins: ['ptp', 'portmap'] })).toEqual([
    'runc',
    'the CNI plugins ptp, portmap',
  ]);
  expect(missingTools({ ...lacking('containerd'), tooOld: { containerd: '1.4.13' } })).toEqual([
    'containerd 1.6 or newer',
  ]);
});
