import type { KubernetesObject } from '@kurator/client';
import { describe, expect, it, vi } from 'vitest';
import { ManualClock, settled } from '../../../test/support/manual-clock.ts';
import { silentLogger } from '../../insight/late-logger.ts';
import type { MutateHandler, ValidateHandler } from '../admission.ts';
import { deny, forbid } from '../denial.ts';
import { admit } from './admit.ts';
import { admissionHook } from './hook.ts';
import type { PatchOperation } from './json-patch.ts';
import type { AdmissionRequest } from './review.ts';

interface Gadget extends KubernetesObject {
  spec: { image?: string; when?: unknown };
}

const type = { apiVersion: 'example.com/v1', kind: 'Gadget', plural: 'gadgets', namespaced: true };
const object: Gadget = {
  apiVersion: 'example.com/v1',
  kind: 'Gadget',
  metadata: { name: 'a' },
  spec: { image: 'web' },
};
const request: AdmissionRequest = {
  uid: 'u1',
  kind: { group: 'example.com', version: 'v1', kind: 'Gadget' },
  operation: 'CREATE',
  name: 'a',
  namespace: 'b',
  subresource: undefined,
  user: { username: 'ann', groups: [], extra: {} },
  dryRun: false,
  object,
  oldObject: undefined,
};

const clock = new ManualClock();
const logger = { ...silentLogger, error: vi.fn() };
const context = { clock, logger, time: 1_000, gone: new AbortController().signal };
type Options = Parameters<typeof admissionHook>[3];

const validated = (handler: ValidateHandler<Gadget>, options: Options = {}, asked = request) =>
  admit(
    admissionHook('validate', type, handler as unknown as ValidateHandler<KubernetesObject>, options),
    asked,
    context,
  );
const mutated = (handler: MutateHandler<Gadget>, asked = request) =>
  admit(admissionHook('mutate', type, handler as unknown as MutateHandler<KubernetesObject>, {}), asked, context);
const patchIn = (patch: string | undefined): PatchOperation[] =>
  JSON.parse(Buffer.from(patch ?? '', 'base64').toString('utf8'));

describe('a validating handler', () => {
  it.each([
    { what: 'nothing', answer: undefined },
    { what: 'an empty list', answer: [] },
    { what: 'a list of conditions that do not hold', answer: [false, undefined, null] as const },
  ])('that returns $what allows', async ({ answer }) => {
    expect(await validated(() => answer)).toEqual({ uid: 'u1', allowed: true });
  });

  it('that returns or throws an objection denies, with the field', async () => {
    const expected = {
      uid: 'u1',
      allowed: false,
      status: {
        status: 'Failure',
        code: 422,
        reason: 'Invalid',
        message: 'Gadget.example.com "a" is invalid: spec.image: must have a tag',
        details: {
          name: 'a',
          kind: 'Gadget',
          group: 'example.com',
          causes: [{ field: 'spec.image', message: 'must have a tag', reason: 'FieldValueRequired' }],
        },
      },
    };
    const objection = () => deny('spec.image', 'must have a tag', 'FieldValueRequired');
    expect(await validated(objection)).toEqual(expected);
    expect(await validated(async () => objection())).toEqual(expected);
    expect(await validated(() => Promise.reject(objection()))).toEqual(expected);
  });

  it('that objects to several things tells of all; to the whole request, with 403', async () => {
    const both = await validated(() => [deny('spec.a', 'no'), deny('spec.b', 'neither')]);
    expect(both.status).toMatchObject({
      code: 422,
      message: 'Gadget.example.com "a" is invalid: [spec.a: no, spec.b: neither]',
    });
    expect((await validated(() => forbid('not on Fridays'))).status).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: 'not on Fridays',
    });
  });

  it('may warn, whatever the answer', async () => {
    const { warnings } = await validated(({ warn }) => warn('old'));
    expect(warnings).toEqual(['old']);
    const denied = await validated(({ warn }) => {
      warn('old');
      return deny('spec', 'no');
    });
    expect(denied).toMatchObject({ allowed: false, warnings: ['old'] });
  });

  it('sees the object that would go as `object` on DELETE', async () => {
    const deletion: AdmissionRequest = { ...request, operation: 'DELETE', object: undefined, oldObject: object };
    await validated(
      (call) => {
        expect(call).toMatchObject({ operation: 'DELETE', object, oldObject: object });
      },
      {},
      deletion,
    );
  });

  it('that throws denies without telling why: that is in the log, under the uid', async () => {
    const error = new Error('password=hunter2');
    const { status, allowed } = await validated(() => Promise.reject(error));
    expect({ allowed, ...status }).toMatchObject({ allowed: false, code: 500, reason: 'InternalError' });
    expect(status?.message).toContain('u1');
    expect(JSON.stringify(status)).not.toContain('hunter2');
    expect(logger.error).toHaveBeenLastCalledWith(expect.objectContaining({ uid: 'u1', error }), expect.anything());
  });

  it('that throws where failures are ignored answers with HTTP 500, which the API server ignores', async () => {
    const failing = validated(() => Promise.reject(new Error('boom')), { failurePolicy: 'Ignore' });
    await expect(failing).rejects.toMatchObject({ status: 500, message: expect.not.stringContaining('boom') });
  });

  it('that answers nonsense is broken', async () => {
    const { status } = await validated((() => true) as unknown as ValidateHandler<Gadget>);
    expect(status).toMatchObject({ code: 500 });
    const list = await validated((() => ['no']) as unknown as ValidateHandler<Gadget>);
    expect(list.status).toMatchObject({ code: 500 });
  });

  it('that hangs is answered for before the API server gives up, and told to stop', async () => {
    let signal: AbortSignal | undefined;
    const answer = validated((call) => {
      signal = call.signal;
      return new Promise(() => {});
    });
    await settled();
    expect(signal?.aborted).toBe(false);
    await clock.advance(1_000);
    expect((await answer).status).toMatchObject({ code: 504, reason: 'Timeout' });
    expect(signal?.reason).toMatchObject({ code: 'KUR_RUNTIME_WEBHOOK_TIMEOUT' });
    expect(clock.pending).toBe(0);
  });

  it('is not asked about another kind', async () => {
    const kind = { ...request.kind, kind: 'Pod' };
    await expect(validated(() => {}, {}, { ...request, kind })).rejects.toMatchObject({ status: 400 });
  });
});

describe('a mutating handler', () => {
  it('may change what it is given', async () => {
    const { patchType, patch } = await mutated(({ object: draft }) => {
      draft.spec.image = 'web:1';
    });
    expect(patchType).toBe('JSONPatch');
    expect(patchIn(patch)).toEqual([{ op: 'replace', path: '/spec/image', value: 'web:1' }]);
    expect(object.spec.image).toBe('web');
  });

  it('may return another object', async () => {
    const { patch } = await mutated(({ object: given }) => ({ ...given, spec: { when: new Date(0) } }));
    expect(patchIn(patch)).toEqual([
      { op: 'remove', path: '/spec/image' },
      { op: 'add', path: '/spec/when', value: '1970-01-01T00:00:00.000Z' },
    ]);
  });

  it('that changes nothing sends no patch', async () => {
    expect(await mutated(() => {})).toEqual({ uid: 'u1', allowed: true });
    expect(await mutated(({ object: same }) => structuredClone(same))).toEqual({ uid: 'u1', allowed: true });
  });

  it('may object', async () => {
    expect(await mutated(() => deny('spec', 'no'))).toMatchObject({ allowed: false, status: { code: 422 } });
  });
});
