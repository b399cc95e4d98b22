import { describe, expect, it } from 'vitest';
import type { InstanceObservation, NodeObservation, Observation } from '../brain/observation.ts';
import { happenedTo } from './observe.ts';

const instance = (uid: string, node: string, more: Partial<InstanceObservation> = {}): InstanceObservation => ({
  name: uid,
  uid,
  node,
  revision: 'r1',
  createdAt: 0,
  terminating: false,
  ready: true,
  containers: [{ name: 'main', state: 'running', restarts: 0 }],
  ...more,
});
const node = (name: string, more: Partial<NodeObservation> = {}): NodeObservation => ({
  name,
  ready: 'true',
  since: 0,
  gone: false,
  ...more,
});
const rollout = (how: 'settled' | 'progressing') => ({ rollout: how }) as Observation['workload'];
const seen = (more: Partial<Observation> = {}): Observation => ({
  at: 0,
  workload: rollout('settled'),
  instances: [instance('a', 'n1'), instance('b', 'n2')],
  nodes: [node('n1'), node('n2')],
  dependencies: [],
  dependants: [],
  answers: [],
  orders: { approved: [], resumed: [] },
  ...more,
});
const b = (more: Partial<InstanceObservation>) => ({ instances: [instance('a', 'n1'), instance('b', 'n2', more)] });

describe('what is looked at at once', () => {
  it('is everything that is seen for the first time', () => {
    expect(happenedTo(undefined, seen())).toEqual(new Set(['a', 'b']));
  });

  it('is nothing where nothing happened', () => {
    expect(happenedTo(seen(), seen({ at: 1000 }))).toEqual(new Set());
  });

  it.each<[string, Partial<Observation>]>([
    ['that is no longer ready', b({ ready: false })],
    ['that is being ended', b({ terminating: true })],
    ['whose container was restarted', b({ containers: [{ name: 'main', state: 'running', restarts: 1 }] })],
    ['whose container waits', b({ containers: [{ name: 'main', state: 'waiting', restarts: 0 }] })],
    ['whose node is not ready', { nodes: [node('n1'), node('n2', { ready: 'unknown' })] }],
    ['whose node is gone', { nodes: [node('n1'), node('n2', { gone: true })] }],
    ['whose node complains', { nodes: [node('n1'), node('n2', { complaints: ['MemoryPressure'] })] }],
  ])('is an instance %s', (_, more) => {
    expect(happenedTo(seen(), seen(more))).toEqual(new Set(['b']));
  });

  it('is everybody when a rollout has ended, and nobody when one begins', () => {
    const underWay = seen({ workload: rollout('progressing') });
    expect(happenedTo(underWay, seen())).toEqual(new Set(['a', 'b']));
    expect(happenedTo(seen(), underWay)).toEqual(new Set());
  });
});
