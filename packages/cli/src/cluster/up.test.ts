import { describe, expect, it } from 'vitest';
import { clusterOptions } from './up.ts';

const nothing = {};

describe('clusterOptions', () => {
  it('asks for one node unless told', () => {
    expect(clusterOptions(nothing, { exists: false })).toEqual({ nodes: 1, closed: false });
  });

  it('takes a cluster that is there as it is', () => {
    expect(clusterOptions(nothing, { exists: true })).not.toHaveProperty('nodes');
  });

  it('still says how many nodes a cluster that is there should have, when told', () => {
    expect(clusterOptions({ ...nothing, nodes: 3 }, { exists: true })).toMatchObject({ nodes: 3 });
  });

  it('asks for no nodes with --control-plane-only', () => {
    expect(clusterOptions({ ...nothing, controlPlaneOnly: true }, { exists: false })).toEqual({
      nodes: 0,
      closed: false,
    });
  });

  it('takes --port for the wish for a control plane alone, which is the only one that can have it', () => {
    expect(clusterOptions({ ...nothing, port: 6443 }, { exists: false })).toMatchObject({ port: 6443, nodes: 0 });
  });

  it('lets nodes pull images, unless told not to or there is a cluster already', () => {
    expect(clusterOptions(nothing, { exists: false })).toMatchObject({ closed: false });
    expect(clusterOptions({ closed: true }, { exists: false })).toMatchObject({ closed: true });
    expect(clusterOptions(nothing, { exists: true })).not.toHaveProperty('closed');
  });

  it('passes everything else on, but for what is only about printing', () => {
    const options = { name: 'a', version: '1.35', nodeVersion: '1.34', audit: true, binaries: '/b', install: false };
    const printing = { output: 'json' as const, verbose: true };
    expect(clusterOptions({ ...options, ...printing }, { exists: true })).toEqual(options);
  });
});
