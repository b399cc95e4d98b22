import { questions } from '@kurator/command';
import { ENTER, terminal } from '@kurator/command/testing';
import { describe, expect, it } from 'vitest';
import { agreeToInstall } from './agree-to-install.ts';

const missing = async () => ['containerd', 'runc'];

describe('what is missing for nodes', () => {
  it.each([
    ['y', true],
    [ENTER, false],
  ])('is installed after a question, which names the packages: %j: %s', async (typed, agreed) => {
    const person = terminal(['install containerd, runc', typed]);
    expect(await agreeToInstall(undefined, { env: {}, asked: questions(person), missing })).toBe(agreed);
  });

  it.each([
    ['--install', true, {}],
    ['--no-install', false, {}],
    ['CI=true', undefined, { CI: 'true' }],
    ['KURATOR_INSTALL=yes', undefined, { KURATOR_INSTALL: 'yes' }],
  ])('is nobody asked about with %s', async (_, told, env) => {
    const person = terminal();
    expect(await agreeToInstall(told, { env, asked: questions(person), missing })).toBe(told);
    expect(person.shown()).toBe('');
  });

  it('is nobody asked about where nothing is missing', async () => {
    const person = terminal();
    expect(
      await agreeToInstall(undefined, { env: {}, asked: questions(person), missing: async () => [] }),
    ).toBeUndefined();
    expect(person.shown()).toBe('');
  });
});
