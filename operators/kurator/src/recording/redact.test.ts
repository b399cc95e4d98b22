import { describe, expect, it } from 'vitest';
import { redact } from './redact.ts';

describe('text that is kept', () => {
  it.each([
    ['password=hunter2 and more', 'password=[redacted] and more'],
    ['{"apiKey": "abc123", "user": "me"}', '{"apiKey": "[redacted]", "user": "me"}'],
    ['Authorization: Bearer abcdefgh12345678', 'Authorization: Bearer [redacted]'],
    ['postgres://app:s3cret@db:5432/shop', 'postgres://app:[redacted]@db:5432/shop'],
    ['-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----', '[redacted]'],
    ['id eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc', 'id [redacted]'],
    ['key AKIAABCDEFGHIJKLMNOP', 'key [redacted]'],
  ])('has no secret in it: %s', (text, clean) => {
    expect(redact(text)).toBe(clean);
  });

  it('is left as it is otherwise', () => {
    const text = 'GET /tokens 200 in 3 ms\nconnection to db:5432 refused';
    expect(redact(text)).toBe(text);
  });
});
