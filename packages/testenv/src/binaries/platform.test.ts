import { expect, it } from 'vitest';
import { platformOf } from './platform.ts';

it.each([
  ['linux', 'x64', 'linux/amd64'],
  ['linux', 'arm64', 'linux/arm64'],
  ['darwin', 'arm64', 'darwin/arm64'],
])('calls %s on %s by the name %s', (system, processor, name) => {
  const { os, arch } = platformOf(system, processor);
  expect(`${os}/${arch}`).toBe(name);
});

it('refuses a platform that nobody builds for', () => {
  expect(() => platformOf('win32', 'x64')).toThrow(expect.objectContaining({ code: 'KUR_TESTENV_PLATFORM' }));
});
