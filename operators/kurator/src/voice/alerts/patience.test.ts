import { expect, it } from 'vitest';
import type { AlertChannel } from '../../resources/alert-channel.ts';
import { noPatience, Patiences } from './patience.ts';

const channel = (uid: string, generation = 1) => ({ metadata: { uid, generation } }) as AlertChannel;
const tired = { failures: 7, refusals: 2, notBefore: 5000 };

it('is of one channel, and begins anew when a person has changed it', () => {
  const patiences = new Patiences();
  patiences.set(channel('a'), tired);
  expect(patiences.of(channel('a'))).toBe(tired);
  expect(patiences.of(channel('a', 2))).toBe(noPatience);
  expect(patiences.of(channel('b'))).toBe(noPatience);
});

it('is not kept for channels that nobody has heard of for long', () => {
  const patiences = new Patiences();
  patiences.set(channel('old'), tired);
  for (let count = 0; count < 999; count++) patiences.set(channel(`${count}`), tired);
  patiences.set(channel('old'), tired);
  patiences.set(channel('one more'), tired);
  expect(patiences.of(channel('old'))).toBe(tired);
  expect(patiences.of(channel('0'))).toBe(noPatience);
});
