import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClientError, type ClientErrorCode } from '../error.ts';
import { startDeadline } from './deadline.ts';
import { delayBefore, mayRetry, type Repeatable, withRetries } from './retry.ts';

const get: Repeatable = { method: 'GET' };
const post: Repeatable = { method: 'POST' };
const apply: Repeatable = { method: 'PATCH', contentType: 'application/apply-patch+yaml' };
const jsonPatch: Repeatable = { method: 'PATCH', contentType: 'application/json-patch+json' };

const failure = (code: ClientErrorCode, details = {}) => new ClientError(code, 'it failed', details);
const overload = failure('KUR_CLIENT_TOO_MANY_REQUESTS', { status: 429 });
const budget = failure('KUR_CLIENT_TOO_MANY_REQUESTS', {
  status: 429,
  causes: [{ reason: 'DisruptionBudget', message: 'needs 1 healthy pod' }],
});
const unavailable = failure('KUR_CLIENT_SERVER', { status: 503 });
const notImplemented = failure('KUR_CLIENT_SERVER', { status: 501 });
const unknownField = new ClientError('KUR_CLIENT_SERVER', '.spec.nam: field not declared in schema', { status: 500 });
const refused = failure('KUR_CLIENT_UNREACHABLE', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) });
const reset = failure('KUR_CLIENT_UNREACHABLE', { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) });

describe('sends again', () => {
  it.each([
    ['a read that the server was too busy for', overload, get, true],
    ['a creation that the server was too busy for', overload, post, true],
    ['an eviction that a disruption budget forbids', budget, post, false],
    ['a read from a server in trouble', unavailable, get, true],
    ['an apply to a server in trouble', unavailable, apply, true],
    ['an apply with a field that its kind does not have', unknownField, apply, false],
    ['a creation that may have happened', unavailable, post, false],
    ['JSON operations that may have happened', unavailable, jsonPatch, false],
    ['what the server will never do', notImplemented, get, false],
    ['a creation that never left', refused, post, true],
    ['a creation whose answer was lost', reset, post, false],
    ['a deletion whose answer was lost', reset, { method: 'DELETE' } as const, true],
    ['what is not there', failure('KUR_CLIENT_NOT_FOUND', { status: 404 }), get, false],
    ['what ran out of time', failure('KUR_CLIENT_TIMEOUT'), get, false],
    ["after a fault that is not the server's", new TypeError('ours'), get, false],
  ])('%s: %#', (_, error, request, expected) => {
    expect(mayRetry(error, request)).toBe(expected);
  });
});

it('waits longer each time, at least as long as it was asked, and never twice the same for all', () => {
  const random = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.nat({ max: 40 }), fc.nat({ max: 100 }), random, (attempt, retryAfterSeconds, luck) => {
      const delay = delayBefore(failure('KUR_CLIENT_SERVER', { retryAfterSeconds }), attempt, () => luck);
      const backoff = Math.min(5_000, 100 * 2 ** attempt);
      expect(delay).toBeGreaterThanOrEqual(retryAfterSeconds * 1000 + backoff / 2);
      expect(delay).toBeLessThanOrEqual(retryAfterSeconds * 1000 + backoff);
    }),
  );
});

describe('stops', () => {
  it('after its last attempt, and says how many there were', async () => {
    let sent = 0;
    const sending = withRetries(get, 2, startDeadline(5_000, undefined), async () => {
      sent += 1;
      throw unavailable;
    });
    await expect(sending).rejects.toMatchObject({ message: 'it failed (tried 3 times)', status: 503 });
    expect(sent).toBe(3);
  });

  it('rather than wait beyond its deadline', async () => {
    const asksTooMuch = failure('KUR_CLIENT_SERVER', { status: 503, retryAfterSeconds: 60 });
    const sending = withRetries(get, 4, startDeadline(5_000, undefined), async () => {
      throw asksTooMuch;
    });
    await expect(sending).rejects.toBe(asksTooMuch);
  });

  it('as soon as the caller wants it to', async () => {
    const controller = new AbortController();
    const sending = withRetries(get, 4, startDeadline(5_000, controller.signal), async () => {
      setImmediate(() => controller.abort(new Error('enough')));
      throw unavailable;
    });
    await expect(sending).rejects.toThrow('enough');
  });
});
