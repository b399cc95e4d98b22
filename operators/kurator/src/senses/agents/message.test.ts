import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  answerBytes,
  isSignedBy,
  mostAddresses,
  mostOpenings,
  parseAnswer,
  parseQuestion,
  signatureOf,
} from './message.ts';

const key = 'k'.repeat(32);
const question = { nonce: 'n', addresses: [{ host: '10.0.0.1', port: 80 }] };

describe('a signature', () => {
  it('is believed from who has the key, and for these very words', () => {
    const signature = signatureOf('agent', 'words', key);
    expect(isSignedBy('agent', 'words', signature, key)).toBe(true);
    expect(isSignedBy('agent', 'other words', signature, key)).toBe(false);
    expect(isSignedBy('agent', 'words', signature, 'x'.repeat(32))).toBe(false);
    expect(isSignedBy('agent', 'words', undefined, key)).toBe(false);
  });

  it('of a question is none of an answer', () => {
    expect(isSignedBy('agent', 'words', signatureOf('operator', 'words', key), key)).toBe(false);
  });
});

describe('a question', () => {
  it('is read as it was asked', () => {
    expect(parseQuestion(JSON.stringify(question))).toEqual(question);
  });

  it.each([
    ['a name', { host: 'web.test', port: 80 }],
    ['no port', { host: '10.0.0.1' }],
    ['a port that there is not', { host: '10.0.0.1', port: 65_536 }],
    ['nothing', null],
  ])('with %s for an address is refused', (_, address) => {
    expect(parseQuestion(JSON.stringify({ nonce: 'n', addresses: [address] }))).toBeUndefined();
  });

  it('with too many addresses is refused', () => {
    const addresses = Array.from({ length: mostAddresses + 1 }, () => question.addresses[0]);
    expect(parseQuestion(JSON.stringify({ nonce: 'n', addresses }))).toBeUndefined();
  });
});

describe('an answer', () => {
  it('is read as it was given', () => {
    const openings = [[[3, 0.4, true]]];
    expect(parseAnswer(JSON.stringify({ nonce: 'n', openings }), question)).toEqual(openings);
  });

  it.each([
    ['to another question', { nonce: 'm', openings: [[]] }],
    ['about more addresses', { nonce: 'n', openings: [[], []] }],
    ['with times before the beginning', { nonce: 'n', openings: [[[-1, 1, true]]] }],
    ['with more openings than anybody makes', { nonce: 'n', openings: [Array(mostOpenings + 1).fill([1, 1, true])] }],
  ])('%s is none', (_, answer) => {
    expect(parseAnswer(JSON.stringify(answer), question)).toBeUndefined();
  });
});

it('the longest answer there is fits into what is read of one', () => {
  const openings = Array.from({ length: mostAddresses }, () => Array(mostOpenings).fill([10_000, 3500.99, false]));
  expect(JSON.stringify({ nonce: 'n'.repeat(128), openings }).length).toBeLessThan(answerBytes);
});

it('whatever is sent is read or refused, and nothing throws', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
      parseQuestion(text);
      parseAnswer(text, question);
    }),
  );
});
