import { ClientError, ConfigMap, type KubernetesObject } from '@kurator/client';
import { describe, expect, it } from 'vitest';
import { PermanentError } from '../../controller/permanent-error.ts';
import { RuntimeError } from '../../error.ts';
import { child } from '../child.ts';
import { ChildrenError } from '../children-error.ts';
import { isTelling, noteOf, reasonOf, statusAfter, statusAfterFailure } from './outcome.ts';

const object = {
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name: 'a', generation: 4 },
  status: { size: 1, observedGeneration: 3, conditions: [{ type: 'Other', status: 'True' }] },
} as KubernetesObject;
const invalid = new ClientError('KUR_CLIENT_INVALID', 'spec.x is wrong');
const unreachable = new ClientError('KUR_CLIENT_UNREACHABLE', 'nobody answers');
const failed = (error: unknown) =>
  new ChildrenError([{ name: 'x', child: child(ConfigMap, { metadata: { name: 'x' } }), error }]);

describe('the status after a reconcile', () => {
  it('has what was said, or what was there, and the generation', () => {
    expect(statusAfter(object, { status: { size: 2 } })).toEqual({ size: 2, observedGeneration: 4, conditions: [] });
    const claim = { type: 'Fine', status: 'True', reason: 'Good' } as const;
    expect(statusAfter(object, { conditions: [claim] })).toEqual({
      size: 1,
      observedGeneration: 4,
      conditions: [claim],
    });
  });

  it('keeps what was there after a failure, and says why', () => {
    const error = new PermanentError('it is too big', { reason: 'TooBig', remedy: 'make it smaller' });
    expect(statusAfterFailure(object, 'Ready', error)).toEqual({
      size: 1,
      observedGeneration: 4,
      conditions: [{ type: 'Ready', status: 'False', reason: 'TooBig', message: 'it is too big: make it smaller' }],
    });
  });
});

describe('a failure', () => {
  it.each([
    ['the object is wrong', invalid, true],
    ['a child is wrong', failed(invalid), true],
    ['the operator is wrong', new RuntimeError('KUR_RUNTIME_NOT_DECLARED', 'no'), true],
    ['the server is away', unreachable, false],
    ['a child could not be sent', failed(unreachable), false],
    ['something unheard of happened', new Error('?'), false],
  ])('is told at once only if nobody but a person can help: %s', (_, error, atOnce) => {
    expect(isTelling(error, 0)).toBe(atOnce);
    expect(isTelling(error, 2)).toBe(true);
  });

  it('is never told where it is none, or not ours to tell', () => {
    expect(isTelling(new ClientError('KUR_CLIENT_CONFLICT', 'changed'), 9)).toBe(false);
    expect(isTelling(new RuntimeError('KUR_RUNTIME_LEADERSHIP_LOST', 'lost'), 9)).toBe(false);
  });

  it('has a reason of one word, and a message for people', () => {
    expect([invalid, failed(invalid), new PermanentError('x')].map(reasonOf)).toEqual([
      'ReconcileFailed',
      'ChildrenFailed',
      'PermanentError',
    ]);
    expect(noteOf('text')).toBe('text');
  });
});
