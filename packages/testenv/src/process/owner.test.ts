import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startChild } from '../../test/binaries/child.ts';
import { isAlive, type Owner, ownerToken, parseOwner } from './owner.ts';

it('recognises its own process as alive', () => {
  expect(isAlive(parseOwner(ownerToken()) as Owner)).toBe(true);
});

it('never gives the same name twice', () => {
  const names = Array.from({ length: 1000 }, ownerToken);
  expect(new Set(names).size).toBe(names.length);
});

it('recognises a process that has ended as dead', async () => {
  const child = startChild(`
    import { ownerToken } from ${JSON.stringify(import.meta.resolve('./owner.ts'))};
    console.log(ownerToken());`);
  await child.ended;
  const owner = parseOwner(child.output().trim());
  expect(owner?.pid).toBe(child.pid);
  expect(isAlive(owner as Owner)).toBe(false);
});

it.runIf(process.platform === 'linux')('is not fooled by another process that got the same id', () => {
  const owner = parseOwner(ownerToken()) as Owner;
  expect(isAlive({ ...owner, startTime: String(Number(owner.startTime) - 1) })).toBe(false);
});

it('knows that nothing lives through a reboot', () => {
  expect(isAlive({ ...(parseOwner(ownerToken()) as Owner), boot: '00000000' })).toBe(false);
});

it.each([{ machine: '00000000', boot: '00000000' }, { namespace: '00000000' }])(
  'can not tell about a process on another machine or in another container: %j',
  (elsewhere) => {
    expect(isAlive({ ...(parseOwner(ownerToken()) as Owner), ...elsewhere })).toBeUndefined();
  },
);

it('reads only names of its own making', () => {
  fc.assert(fc.property(fc.string(), (text) => parseOwner(text) === undefined));
});
