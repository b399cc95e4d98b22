import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSecretName, REDACTED, redacted, withoutSecrets } from './redaction.ts';

describe('a field name', () => {
  it.each([
    'token',
    'accessToken',
    'id_token',
    'TOKEN_VALUE',
    'password',
    'dbPasswd',
    'Authorization',
    'proxy-authorization',
  ])('like %s is a secret', (name) => expect(isSecretName(name)).toBe(true));
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
    ['{"apiKey": "abc123", "user": "me"}', '{"apiKey": "[redacted]", "user": "me"}'],
    ['key AKIAABCDEFGHIJKLMNOP', 'key [redacted]'],
    ['Cookie: session=abc; b=c\nnext', 'Cookie: [redacted]\nnext'],
    ['connect password=hunter2 host=db', 'connect password=[redacted] host=db'],
    ['{"db_password":"hunter2","a":1}', '{"db_password":"[redacted]","a":1}'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----', '[redacted]'],
    ['-----BEGIN PRIVATE KEY-----\ncut off', '[redacted]'],
    ['MIIEcut\nx9Kq\n-----END RSA PRIVATE KEY-----\nstarted', '[redacted]\nstarted'],
    ['a\n-----END OPENSSH PRIVATE KEY-----\nb\n-----BEGIN PRIVATE KEY-----\nc', '[redacted]\nb\n[redacted]'],
    ['mysql --password hunter2 -h db', 'mysql --password [redacted] -h db'],
    ["tool --api-key 'hunter 2' --verbose", "tool --api-key '[redacted]' --verbose"],
    ['TOKEN_VALUE=hunter2 MODE=live', 'TOKEN_VALUE=[redacted] MODE=live'],
    ['{"SECRET_KEY_BASE": "hunter2"}', '{"SECRET_KEY_BASE": "[redacted]"}'],
    ['{"password": "hun\\"ter2", "a": 1}', '{"password": "[redacted]", "a": 1}'],
    ['"{\\"password\\": \\"hun\\\\\\"ter2\\", \\"a\\": 1}"', '"{\\"password\\": \\"[redacted]\\", \\"a\\": 1}"'],
  ])('loses what must not be read: %s', (text, clean) => expect(withoutSecrets(text)).toBe(clean));

  it.each([
    'secret default/tls not found',
    'GET /tokens 200 in 3 ms\nconnection to db:5432 refused',
    'https://registry.example.com/a/b@sha256:12 is not there',
    'the token: expired',
    'Basic understanding of tokens',
    'image a/b:c@sha256:12',
    'started\n-----END CERTIFICATE-----\nready',
    'serve --token-file /run/token --secret-name tls',
    'token_count=12 secret-name=tls TOKEN_TTL=30s tokenizer=bpe',
  ])('keeps what may be: %s', (text) => expect(withoutSecrets(text)).toBe(text));

  // A pattern that looks again and again at the same text would not come to an end here.
  it.each([
    'eyJ-',
    'token-',
    'token',
    '://a:',
    '://a@',
    'Bearer ',
    'basic x',
    '-----BEGIN ',
    '-----BEGIN A-----',
    'password="',
    'password\\',
    'password="\\',
    'token_',
    'token_a',
    '--token ',
    '--',
    '-----END A PRIVATE KEY',
    '-----END A PRIVATE KEY-----',
    'authorization:',
    'AKIA',
    ' ',
    '@',
  ])('takes time by its length alone: %s', (piece) => {
    const long = piece.repeat(Math.ceil(400_000 / piece.length));
    expect(withoutSecrets(long).length).toBeLessThanOrEqual(long.length * REDACTED.length);
  });
});

describe('a secret', () => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  const random = (min: number, max: number) =>
    fc.string({ unit: fc.constantFrom(...letters), minLength: min, maxLength: max }).map((text) => `${text}7q`);
  const upper = fc.string({ unit: fc.constantFrom(...letters.slice(0, 26), '2', '7'), minLength: 16, maxLength: 16 });
  /** How each is written, and what must not be left of it. */
  const written = fc.oneof(
    random(6, 40).map((value) => [`password=${value}`, value]),
    random(6, 40).map((value) => [`DB_PASSWORD: ${value}`, value]),
    random(6, 40).map((value) => [`{"apiKey": "${value}"}`, value]),
    random(6, 40).map((value) => [`{\\"client_secret\\":\\"${value}\\"}`, value]),
    random(6, 40).map((value) => [`--token='${value} and more'`, value]),
    random(6, 40).map((value) => [`--db-password ${value}`, value]),
    random(6, 40).map((value) => [`TOKEN_VALUE=${value}`, value]),
    random(6, 40).map((value) => [`password="a\\"${value}"`, value]),
    random(30, 200).map((value) => [`${value}\n-----END EC PRIVATE KEY-----`, value]),
    random(6, 40).map((value) => [`Authorization: Bearer ${value}`, value]),
    random(6, 40).map((value) => [`authorization: ${value}`, value]),
    random(20, 60).map((value) => [`curl -H bearer ${value}`, value]),
    random(6, 30).map((value) => [`https://user:${value}@host/path`, value]),
    random(6, 30).map((value) => [`amqp://user:p@${value}@host`, value]),
    fc.tuple(random(10, 40), random(10, 80), random(10, 40)).map(([a, b, c]) => [`eyJ${a}.eyJ${b}.${c}`, b]),
    upper.map((value) => [`AKIA${value}`, value]),
    random(30, 40).map((value) => [`ghp_${value}`, value]),
    random(30, 200).map((value) => [`-----BEGIN RSA PRIVATE KEY-----\n${value}\n-----END RSA PRIVATE KEY-----`, value]),
  );
  const around = fc.constantFrom('', ' ', '\n', 'failed: ', ' (', '["', '", ', '; ', 'GET /tokens 200 ', '-----');

  it('never survives, wherever it stands', () => {
    fc.assert(
      fc.property(around, written, around, (before, [text = '', value = ''], after) => {
        expect(withoutSecrets(`${before}${text}${after}`)).not.toContain(value);
      }),
      { numRuns: 500 },
    );
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
    expect(redacted({ said: ['password=hunter2'] })).toEqual({ said: [`password=${REDACTED}`] });
    expect(value.list[0]?.token).toBe('x');
  });

  it('is not shown below what is looked at', () => {
    const nested = (depth: number): unknown => (depth === 0 ? { token: 'x' } : { a: [nested(depth - 1)] });
    for (const depth of [3, 4, 20]) expect(JSON.stringify(redacted(nested(depth)))).not.toContain('"x"');
    expect(JSON.stringify(redacted(nested(20)))).toContain('[too deep to be looked at]');
  });

  it('is the same where there is nothing to hide', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const harmless = JSON.parse(JSON.stringify(value).replace(/token|secret|pass|pwd|key|credential|:\/\//gi, 'x'));
        expect(redacted(harmless)).toEqual(harmless);
      }),
    );
  });
});
