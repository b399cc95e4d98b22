import { describe, expect, it } from 'vitest';
import { missingPackages, missingTools, type ToolFacts, tools } from './tools.ts';

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

it('names what is missing in words', () => {
  const { cniFolder: _gone, ...rest } = lacking('runc', 'mmdebstrap');
  expect(missingTools({ ...rest, missingPlugins: ['ptp', 'portmap'] })).toEqual([
    'runc',
    'the CNI plugins ptp, portmap',
  ]);
});
