import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSecretName, REDACTED, redacted, withoutSecrets } from './redaction.ts';

describe('a field name', () => {
  it.each(['token', 'accessToken', 'id_token', 'password', 'dbPasswd', 'Authorization', 'proxy-authorization'])(
    'like %s is a secret',
    (name) => expect(isSecretName(name)).toBe(true),
  );
  it.each(['clientSecret', 'api-key', 'apiKey', 'privateKey', 'client-key-data', 'credentials', 'set-cookie'])(
    'like %s is a secret too',
    (name) => expect(isSecretName(name)).toBe(true),
  );
  it.each(['name', 'key', 'kind', 'tokens', 'secretName', 'secrets', 'continueToken', 'passed', 'cookies'])(
    'like %s is none',
    (name) => expect(isSecretName(name)).toBe(false),
  );
});

describe('a text', () => {
  it.each([
    ['GET with Authorization: Bearer abcdefghij0123456789', 'GET with Authorization: Bearer [redacted]'],
    ['token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_x done', 'token [redacted] done'],
    ['postgres://admin:hunter2@db:5432/x', 'postgres://[redacted]@db:5432/x'],
    ['connect password=hunter2 host=db', 'connect password=[redacted] host=db'],
    ['{"db_password":"hunter2","a":1}', '{"db_password":"[redacted]","a":1}'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----', '[redacted]'],
    ['-----BEGIN PRIVATE KEY-----\ncut off', '[redacted]'],
  ])('loses what must not be read: %s', (text, clean) => expect(withoutSecrets(text)).toBe(clean));

  it.each([
    'secret default/tls not found',
    'the token: expired',
    'Basic understanding of tokens',
    'image a/b:c@sha256:12',
  ])('keeps what may be: %s', (text) => expect(withoutSecrets(text)).toBe(text));

  it('takes no longer for a long one', () => {
    const begun = performance.now();
    withoutSecrets('eyJ'.repeat(100_000));
    withoutSecrets('://a:'.repeat(50_000));
    withoutSecrets('token'.repeat(20_000));
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});

describe('a value', () => {
  it('loses secrets at any depth, and is copied only there', () => {
    const kept = { a: [1, 2] };
    const value = { kept, list: [{ token: 'x' }], deep: { headers: { authorization: 'Bearer x', accept: 'y' } } };
    const clean = redacted(value);
    expect(clean).toEqual({
      kept,
      list: [{ token: REDACTED }],
      deep: { headers: { authorization: REDACTED, accept: 'y' } },
    });
    expect(clean.kept).toBe(kept);
    expect(value.list[0]?.token).toBe('x');
  });

  it('is the same where there is nothing to hide', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const harmless = JSON.parse(JSON.stringify(value).replace(/token|secret|pass|key|credential/gi, 'x'));
        expect(redacted(harmless)).toEqual(harmless);
      }),
    );
  });
});
