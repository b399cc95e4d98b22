import { expect, it } from 'vitest';
import { consentToInstall } from './consent.mjs';

it('asks whoever sits at a terminal', () => {
  expect(consentToInstall({ env: {}, isTerminal: true })).toEqual({});
});

it('goes on where nobody can be asked', () => {
  expect(consentToInstall({ env: {}, isTerminal: false })).toEqual({ KURATOR_INSTALL: 'yes' });
});

it('leaves alone what was said', () => {
  expect(consentToInstall({ env: { KURATOR_INSTALL: 'no' }, isTerminal: false })).toEqual({});
});
