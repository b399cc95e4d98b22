import { expect, it } from 'vitest';
import { signatureOf } from './webhook.ts';

it('signs the time and the body, so that neither can be changed', () => {
  // As `printf '1700000000.{}' | openssl dgst -sha256 -hmac key` says.
  expect(signatureOf('key', '1700000000', '{}')).toBe(
    'sha256=9d713ed406bb7076d4123f0dc2c39d2df5c654ed4b0cd56b52c8b4c940bd63ae',
  );
  expect(signatureOf('key', '1700000001', '{}')).not.toBe(signatureOf('key', '1700000000', '{}'));
  expect(signatureOf('key', '1700000000', '{ }')).not.toBe(signatureOf('key', '1700000000', '{}'));
  expect(signatureOf('yek', '1700000000', '{}')).not.toBe(signatureOf('key', '1700000000', '{}'));
});
