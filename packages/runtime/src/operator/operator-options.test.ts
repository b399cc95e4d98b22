import { describe, expect, it } from 'vitest';
import { settleOptions } from './operator-options.ts';

const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };

describe('what an operator does by default', () => {
  it('is careful in a pod, and ready to be tried at a desk', () => {
    expect(settleOptions({}, pod)).toMatchObject({ leaderElection: {}, installCrds: 'never', http: {}, inPod: true });
    expect(settleOptions({}, {})).toMatchObject({
      leaderElection: false,
      installCrds: 'missing',
      http: { host: '127.0.0.1', port: 0 },
      inPod: false,
    });
  });

  it('yields to what is said', () => {
    const options = { leaderElection: false, installCrds: 'compatible', http: false } as const;
    expect(settleOptions(options, pod)).toMatchObject(options);
    const lease = { lease: 'mine' };
    expect(settleOptions({ leaderElection: lease }, {}).leaderElection).toBe(lease);
  });

  it.each([
    [undefined, {}, undefined],
    ['a', {}, ['a']],
    [['a', 'b', 'a'], {}, ['a', 'b']],
    [undefined, { WATCH_NAMESPACE: 'a, b,' }, ['a', 'b']],
    ['c', { WATCH_NAMESPACE: 'a' }, ['c']],
    [undefined, { WATCH_NAMESPACE: '' }, undefined],
  ])('works in %s with %j', (namespaces, environment, expected) => {
    expect(settleOptions(namespaces === undefined ? {} : { namespaces }, environment).namespaces).toEqual(expected);
  });
});
