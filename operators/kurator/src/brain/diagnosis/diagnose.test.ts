import { describe, expect, it } from 'vitest';
import {
  everyCheck,
  now,
  observe,
  perceptionOf,
  specOf,
  type Trouble,
  uids,
} from '../../../test/support/brain/trouble.ts';
import { detect } from '../evidence/detect.ts';
import type { DependencyObservation } from '../observation.ts';
import { hour, minute, second } from '../time.ts';
import type { Cause, Diagnosis } from './cause.ts';
import { diagnose } from './diagnose.ts';

function diagnosed(trouble: Trouble): Diagnosis | undefined {
  const spec = specOf(trouble);
  const seen = observe(trouble);
  const evidence = detect(spec, perceptionOf(trouble), seen, everyCheck, now);
  const { proven = ['r1'], wellAtFirst = [] } = trouble;
  const revisions = { healthy: proven, bad: [], left: [], wellAtFirst };
  return diagnose({ spec, evidence, seen, revisions, givenUp: trouble.givenUp ?? [], now });
}

const all = (error: string) => ({ a: error, b: error, c: error });
const ended = (reason: string, ago = second) => ({ at: now - ago, exitCode: 137, reason });
const crashed = { containers: [{ name: 'main', state: 'terminated' as const, restarts: 0, ended: ended('Error') }] };
const killedAt = (memory: number) => ({ ...crashed, usage: { at: now - 10 * second, metrics: { memory } } });
const waiting = (why: string) => ({
  ready: false,
  containers: [{ name: 'main', state: 'waiting' as const, waiting: why, restarts: 4 }],
});
const newRevision = { revision: 'r2', revisions: ['r1', 'r2'] };
const young = { revision: 'r2', createdAt: now - 20 * second };
const looping = {
  ...young,
  ready: false,
  containers: [
    { name: 'main', state: 'waiting' as const, waiting: 'CrashLoopBackOff', restarts: 2, ended: ended('Error') },
  ],
};
const crashedOnce = {
  ...young,
  containers: [
    {
      name: 'main',
      state: 'running' as const,
      restarts: 1,
      startedAt: now - 7 * second,
      ended: ended('Error', 8 * second),
    },
  ],
};
const full = { usage: { at: now, metrics: { cpu: 0.97 } } };
const idle = { usage: { at: now, metrics: { cpu: 0.2 } } };
const db = (change: Partial<DependencyObservation>): DependencyObservation => ({
  name: 'db',
  state: 'healthy',
  healthyAsOf: now,
  ...change,
});
const needsDb = { spec: { dependsOn: ['db'] } };

const cases: [string, Trouble, Cause, string[]][] = [
  ['one crashed', { instances: { a: crashed } }, 'crash', ['a']],
  ['one crashes again and again', { instances: { a: waiting('CrashLoopBackOff') } }, 'crash-loop', ['a']],
  [
    'one was killed for its memory',
    {
      instances: { a: { containers: [{ name: 'main', state: 'terminated', restarts: 0, ended: ended('OOMKilled') }] } },
    },
    'oom',
    ['a'],
  ],
  ['one was killed, and had just used nearly all of its memory', { instances: { a: killedAt(0.97) } }, 'oom', ['a']],
  ['one was killed, and had memory to spare', { instances: { a: killedAt(0.4) } }, 'crash', ['a']],
  ['an image can not be pulled', { instances: { a: waiting('ImagePullBackOff') } }, 'image', ['a']],
  ['a Secret is missing', { instances: { a: { ...waiting('CreateContainerConfigError') } } }, 'configuration', ['a']],
  [
    'no node has room',
    { instances: { a: { unschedulable: { since: now - minute, message: '0/3 nodes' }, ready: false } } },
    'unschedulable',
    ['a'],
  ],
  ['one hangs behind an open port', { errors: { a: 'response-timeout' } }, 'hang', ['a']],
  ['all hang', { errors: all('response-timeout') }, 'hang', uids],
  ['one answers wrongly', { errors: { a: 'status' } }, 'wrong-answers', ['a']],
  ['one refuses connections', { errors: { a: 'refused' } }, 'crash', ['a']],
  ['one has lost its readiness', { instances: { a: { ready: false, readySince: now - minute } } }, 'unready', ['a']],
  ['one is slow', { latencies: { a: 900 } }, 'slow', ['a']],
  ['a certificate is over', { errors: all('tls-expired') }, 'certificate', uids],
  ['a node is gone', { nodes: { n1: { gone: true } }, errors: { a: 'connect-timeout' } }, 'node-lost', ['a']],
  [
    'a node is silent',
    { nodes: { n1: { ready: 'unknown', since: now - 2 * minute } }, errors: { a: 'connect-timeout' } },
    'node-unreachable',
    ['a'],
  ],
  ['both on one node fail', { errors: { b: 'refused', c: 'response-timeout' } }, 'node', ['b', 'c']],
  ['packets to one are lost', { loss: { 'n9>a': 0.2, 'n9>b': 0, 'n9>c': 0 } }, 'packet-loss', ['a']],
  ['packets to both on one node are lost', { loss: { 'n9>a': 0, 'n9>b': 0.2, 'n9>c': 0.2 } }, 'node', ['b', 'c']],
  ['packets to all are lost', { loss: { 'n9>a': 0.2, 'n9>b': 0.2, 'n9>c': 0.2 } }, 'network', uids],
  ['packets to two on two nodes are lost', { loss: { 'n9>a': 0.2, 'n9>b': 0.2, 'n9>c': 0 } }, 'network', ['a', 'b']],
  [
    'packets from one vantage point are lost, to all',
    { loss: { 'n8>a': 0, 'n9>a': 0.2, 'n8>b': 0, 'n9>b': 0.2, 'n8>c': 0, 'n9>c': 0.2 } },
    'network',
    uids,
  ],
  ['nobody is reached, and all are Ready', { errors: all('connect-timeout') }, 'network', uids],
  ['one is not reached', { errors: { a: 'connect-timeout' } }, 'unreachable', ['a']],
  [
    'one is not reached from here, but from elsewhere',
    { errors: { a: 'connect-timeout' }, loss: { 'n9>a': 0 } },
    'network',
    ['a'],
  ],
  ['only the Service fails', { serviceError: 'connect-timeout' }, 'network', []],
  [
    'all fail at their limit',
    { errors: all('response-timeout'), instances: { a: full, b: full, c: full } },
    'saturation',
    uids,
  ],
  [
    'one alone fails at its limit',
    { errors: { a: 'response-timeout' }, instances: { a: full, b: idle, c: idle } },
    'hang',
    ['a'],
  ],
  [
    'its dependency is in trouble',
    { ...needsDb, errors: all('status'), dependencies: [db({ state: 'impaired' })] },
    'dependency',
    uids,
  ],
  ['nobody knows how its dependency is', { ...needsDb, errors: all('status') }, 'dependency', uids],
  [
    'its dependency was not seen well since',
    { ...needsDb, errors: all('status'), dependencies: [db({ healthyAsOf: now - minute })] },
    'dependency',
    uids,
  ],
  [
    'its dependency has just recovered',
    { ...needsDb, errors: all('status'), dependencies: [db({ recoveredAt: now - 5 * second })] },
    'dependency',
    uids,
  ],
  [
    'its dependency was seen well since one symptom, and not since the other',
    {
      ...needsDb,
      errors: { b: 'status' },
      instances: { a: { ready: false, readySince: now - hour } },
      dependencies: [db({ healthyAsOf: now - minute })],
    },
    'dependency',
    ['a', 'b'],
  ],
  [
    'its dependency was seen well in the second in which this began',
    { ...needsDb, errors: all('status'), dependencies: [db({ healthyAsOf: now - 9.5 * second })] },
    'dependency',
    uids,
  ],
  [
    'it is slow, and its dependency was seen well since that began',
    { ...needsDb, latencies: { a: 900 }, dependencies: [db({ healthyAsOf: now - 5 * second })] },
    'slow',
    ['a'],
  ],
  [
    'its rollout stalls, and its dependency was seen well since that began',
    { ...needsDb, workload: { rollout: 'stalled', stalledSince: now - minute }, dependencies: [db({})] },
    'unknown',
    [],
  ],
  ['its dependency is well', { ...needsDb, errors: all('status'), dependencies: [db({})] }, 'wrong-answers', uids],
  [
    'no dependency can do that',
    { ...needsDb, instances: { a: waiting('ImagePullBackOff') }, dependencies: [db({ healthyAsOf: now + 1 })] },
    'image',
    ['a'],
  ],
  [
    'a new revision crashes, and the old ones are well',
    {
      instances: { a: { ...waiting('CrashLoopBackOff'), revision: 'r2' } },
      workload: { revision: 'r2', rollout: 'progressing' },
    },
    'bad-revision',
    ['a'],
  ],
  [
    'a new revision is well elsewhere',
    {
      instances: { a: { ...waiting('CrashLoopBackOff'), revision: 'r2' }, b: { revision: 'r2' } },
      workload: { revision: 'r2', rollout: 'progressing' },
    },
    'crash-loop',
    ['a'],
  ],
  [
    'a new revision crashes again and again, and is well in between',
    { instances: { a: looping, b: crashedOnce, c: { ...young, createdAt: now - 3 * second } }, workload: newRevision },
    'bad-revision',
    ['a'],
  ],
  [
    'one of a new revision crashes again and again, and another has outlived it',
    { instances: { a: looping, b: crashedOnce, c: { ...young, createdAt: now - minute } }, workload: newRevision },
    'crash-loop',
    ['a'],
  ],
  [
    'the first revision there ever was',
    { instances: { a: waiting('CrashLoopBackOff') }, proven: [] },
    'crash-loop',
    ['a'],
  ],
  ['a rollout stalls for no known reason', { workload: { rollout: 'stalled' } }, 'unknown', []],
];

describe('diagnose', () => {
  it.each(cases)('%s', (_, trouble, cause, affected) => {
    const diagnosis = diagnosed(trouble);
    expect({ cause: diagnosis?.cause, affected: diagnosis?.affected }).toEqual({ cause, affected });
    expect(diagnosis?.reasons.length).toBeGreaterThan(0);
  });

  const nothing: [string, Trouble][] = [
    ['all is well', {}],
    ['results are unknown', { errors: all('unknown') }],
    [
      'a fresh instance fails its checks',
      { errors: { a: 'refused' }, instances: { a: { createdAt: now - 5 * second } } },
    ],
    [
      'a fresh instance failed its checks, and was not heard of since its time to start is over',
      {
        spec: { startupGrace: 5 * second },
        errors: { a: 'refused' },
        instances: { a: { createdAt: now - 5.5 * second } },
      },
    ],
    ['a node is silent, but its instance answers', { nodes: { n1: { ready: 'unknown', since: now - hour } } }],
    ['a node is silent, but not for long', { nodes: { n1: { ready: 'unknown', since: now - second } } }],
    ['the watches show the past', { seenAt: now - hour, instances: { a: crashed, b: waiting('CrashLoopBackOff') } }],
    [
      'a container crashed long ago',
      {
        instances: {
          a: {
            containers: [
              { name: 'main', state: 'running', restarts: 1, startedAt: now - hour, ended: ended('Error', hour) },
            ],
          },
        },
      },
    ],
    ['one that crashes is on its way out', { instances: { a: { ...waiting('CrashLoopBackOff'), terminating: true } } }],
    ['others can not be judged yet', { loss: { 'n9>a': 0.2, 'n9>b': 0, 'n9>c': 0 }, openings: { 'n9>c': 10 } }],
  ];

  it.each(nothing)('finds nothing when %s', (_, trouble) => {
    expect(diagnosed(trouble)).toBeUndefined();
  });

  it('says which part of the service it is about', () => {
    expect(diagnosed({ errors: { a: 'status' } })?.extent).toBe('instance');
    expect(diagnosed({ errors: { a: 'status', b: 'status' } })?.extent).toBe('some');
    expect(diagnosed({ errors: all('status') })?.extent).toBe('all');
    expect(diagnosed({ errors: all('connect-timeout') })?.extent).toBe('around');
  });

  it('is not sure that one is not reached while nobody else surely is', () => {
    const cutOff: Trouble = { errors: all('connect-timeout'), failures: { b: 1, c: 2 } };
    expect(diagnosed(cutOff)).toMatchObject({ cause: 'unreachable', confidence: 'possible', affected: ['a'] });
    const unheardOf: Trouble = { errors: { a: 'connect-timeout', b: 'unknown', c: 'unknown' } };
    expect(diagnosed(unheardOf)).toMatchObject({ cause: 'unreachable', confidence: 'possible', affected: ['a'] });
    const others: Trouble = { errors: { a: 'connect-timeout', b: 'connect-timeout' }, failures: { b: 1 } };
    expect(diagnosed(others)).toMatchObject({ cause: 'unreachable', confidence: 'certain', affected: ['a'] });
  });

  it('looks past what a person was called for, but not for the same instances', () => {
    const both: Trouble = { errors: { a: 'status', b: 'response-timeout' }, instances: { c: { node: 'n3' } } };
    expect(diagnosed({ ...both, givenUp: ['hang'] })).toMatchObject({ cause: 'wrong-answers', affected: ['a'] });
    const same: Trouble = { errors: { a: 'status' }, instances: { a: { ready: false, readySince: now - hour } } };
    expect(diagnosed({ ...same, givenUp: ['wrong-answers'] })?.cause).toBe('wrong-answers');
  });
});

describe('where the fault is', () => {
  const pulling = waiting('ImagePullBackOff');
  const [container] = pulling.containers;
  it.each<[string, Trouble, string | undefined]>([
    ['the node that is gone', { nodes: { n1: { gone: true } }, errors: { a: 'connect-timeout' } }, 'n1'],
    [
      'the registry that gives no image',
      { instances: { a: { ...pulling, containers: [{ ...container, registry: 'registry.example' }] } as never } },
      'registry.example',
    ],
    ['not said of a fault of its own', { instances: { a: crashed } }, undefined],
  ])('is %s', (_, trouble, where) => {
    expect(diagnosed(trouble)?.where).toBe(where);
  });
});

describe('how sure a bad revision is', () => {
  const all = (one: object) => Object.fromEntries(uids.map((uid) => [uid, { revision: 'r2', ...one }]));
  const workload = { revision: 'r2', revisions: ['r1', 'r2'] };
  const unpulled = waiting('ImagePullBackOff');
  const noImage = { ...unpulled, containers: unpulled.containers.map((one) => ({ ...one, isImageAtFault: true })) };
  const wrong = { a: 'status', b: 'status', c: 'status' };
  const well = { name: 'db', state: 'healthy', healthyAsOf: now } as const;

  it.each<[string, Trouble, string]>([
    [
      'certain while another revision is well',
      { errors: { a: 'status' }, instances: { a: { revision: 'r2' } }, workload },
      'certain',
    ],
    ['certain where there is no such image', { instances: all(noImage), workload }, 'certain'],
    ['likely where it never worked', { errors: wrong, instances: all({}), workload }, 'likely'],
    [
      'possible where it worked at first',
      { errors: wrong, instances: all({}), workload, wellAtFirst: ['r2'] },
      'possible',
    ],
    [
      'likely where it worked at first, and what it depends on is well',
      {
        errors: wrong,
        instances: all({}),
        workload,
        wellAtFirst: ['r2'],
        spec: { dependsOn: ['db'] },
        dependencies: [well],
      },
      'likely',
    ],
  ])('is %s', (_, trouble, confidence) => {
    expect(diagnosed(trouble)).toMatchObject({ cause: 'bad-revision', confidence });
  });

  it.each<[string, Trouble]>([
    ['all of it', { instances: all(unpulled), workload }],
    ['one of it, while another revision is well', { instances: { a: { revision: 'r2', ...unpulled } }, workload }],
  ])('is none at all where a registry does not give the image of %s, and does not say why', (_, trouble) => {
    expect(diagnosed(trouble)).toMatchObject({ cause: 'image' });
  });
});
