import { describe, expect, it } from 'vitest';
import { Reach } from '../../../access/reach.ts';
import { headersOf, post, retryAfterOf } from './post.ts';

const signal = () => AbortSignal.timeout(5000);

describe('headers', () => {
  it('are sent once, however they are written, and the last one counts', () => {
    const headers = headersOf({ 'content-type': 'application/json' }, { 'Content-Type': 'text/plain' }, undefined);
    expect([...headers]).toEqual([['content-type', 'text/plain']]);
  });

  it('that can not be sent are named, and their value is not', () => {
    expect(() => headersOf({ authorization: 'Bearer top\nsecret' })).toThrow(/^header authorization can't be sent/);
    expect(() => headersOf({ authorization: 'Bearer top\nsecret' })).not.toThrow(/top|secret/);
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 0, 1);
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Thu, 01 Jan 2025 00:00:00 GMT', undefined],
    ['99999999', 3_600_000],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%j means %j', (header, milliseconds) => {
    expect(retryAfterOf(header, now)).toBe(milliseconds);
  });
});

describe('an address', () => {
  it.each(['not a url', 'ftp://example.com/secret', 'https://user:secret@example.com/'])(
    '%s is refused, and what may be a secret in it is not shown',
    async (url) => {
      const refused = await post(url, '{}', new Headers(), { signal: signal(), reach: new Reach() }).catch(
        (error) => error,
      );
      expect(refused).toMatchObject({ name: 'SinkError', isAboutAlert: false });
      expect(refused.message).not.toContain('secret');
    },
  );
});
