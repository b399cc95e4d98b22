import { describe, expect, it } from 'vitest';
import { errorKinds, kindOfError } from './error-kind.ts';

const outcomeOf = (code: string) => errorKinds[kindOfError({ code })].outcome;

describe('whose fault an error is', () => {
  it.each(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'])('blames the target for %s', (code) => {
    expect(outcomeOf(code)).toBe('failing');
  });

  it.each([
    'EMFILE',
    'ENFILE',
    'ENOBUFS',
    'ENOMEM',
    'EADDRNOTAVAIL',
    'ENETUNREACH',
    'EHOSTUNREACH',
    'ENETDOWN',
    'EACCES',
    'EPERM',
    'ENOTFOUND',
    'EAI_AGAIN',
  ])("takes %s for the checker's own trouble", (code) => {
    expect(outcomeOf(code)).toBe('unknown');
  });

  it('blames nobody for an error that it does not know', () => {
    expect(outcomeOf('EWHATEVER')).toBe('unknown');
    expect(kindOfError(undefined)).toBe('checker-error');
    expect(kindOfError({ code: 7 })).toBe('checker-error');
  });

  it('takes every error of OpenSSL for one of the handshake', () => {
    expect(kindOfError({ code: 'ERR_SSL_WRONG_VERSION_NUMBER' })).toBe('tls-handshake');
  });

  it('calls everything of the checker unknown', () => {
    const kinds = Object.entries(errorKinds).filter(([kind]) => kind.startsWith('checker-'));
    expect(kinds.length).toBeGreaterThan(5);
    for (const [, { outcome }] of kinds) expect(outcome).toBe('unknown');
  });
});
