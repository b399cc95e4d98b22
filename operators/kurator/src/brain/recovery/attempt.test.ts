import { describe, expect, it } from 'vitest';
import { now, observe, perceptionOf, specOf, type Trouble } from '../../../test/support/brain/trouble.ts';
import { survey } from '../cluster/survey.ts';
import { freshHistory } from '../incident/history.ts';
import { clusterDefaults } from '../spec-defaults.ts';
import { think } from '../think.ts';
import { minute } from '../time.ts';

const { view: cluster } = survey(clusterDefaults, [], {}, now);

/** What is done about an instance whose node has not been heard of for ten minutes. */
function actionsFor(stateful: boolean, moveWhenUnreachable: boolean, node: object, terminating = false) {
  const trouble: Trouble = {
    errors: { a: 'connect-timeout' },
    instances: { a: { name: 'web-0', terminating }, b: { name: 'web-1' }, c: { name: 'web-2' } },
    nodes: { n1: { ready: 'unknown', since: now - 10 * minute, ...node } },
    spec: { stateful, recovery: { moveWhenUnreachable } },
  };
  const spec = specOf(trouble);
  const history = { ...freshHistory(now - minute), provenChecks: { http: '' } };
  const input = {
    spec,
    seen: observe(trouble),
    perception: perceptionOf(trouble),
    history,
    cluster,
    outcomes: [],
    now,
  };
  return think(input).actions.map(({ kind, isForced = false }) => ({ kind, isForced }));
}

describe('an instance on a node that is not heard of', () => {
  it.each([
    ['is left where it is, as it must not run twice', true, false, {}, []],
    ['is taken away by force where a person has said that it may run twice', true, true, {}, [{ isForced: true }]],
    [
      'is taken away without where its node is gone: Kubernetes does the rest',
      true,
      true,
      { gone: true },
      [{ isForced: false }],
    ],
    ['is taken away without where it has no identity', false, true, {}, [{ isForced: false }]],
  ])('%s', (_, stateful, moves, node, actions) => {
    expect(actionsFor(stateful, moves, node)).toEqual(actions.map((action) => ({ kind: 'evict', ...action })));
  });

  it.each([
    ['by force where it may run twice', true, {}, [{ kind: 'evict', isForced: true }]],
    ['by nobody where it must not', false, {}, []],
    ['by Kubernetes where its node is gone', true, { gone: true }, []],
    ['by its kubelet where that is heard', true, { ready: 'false' }, []],
  ])('and that is to end is taken away %s', (_, moves, node, actions) => {
    expect(actionsFor(true, moves, node, true)).toEqual(actions);
  });
});
