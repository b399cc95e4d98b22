import { expect, it } from 'vitest';
import { mayInstall } from './consent.ts';

it.each([
  [{}, false],
  [{ CI: 'true' }, true],
  [{ CI: 'false' }, false],
  [{ KURATOR_INSTALL: 'yes' }, true],
  [{ KURATOR_INSTALL: 'no', CI: 'true' }, false],
])('packages may be installed only where somebody has said so: %j: %s', (env, may) => {
  expect(mayInstall(env)).toBe(may);
});
