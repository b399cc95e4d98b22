import { describe, expect, it } from 'vitest';
import { installedIsWanted } from './packages.mjs';

const wanted = {
  '': { version: '0.1.0' },
  'node_modules/vitest': { version: '5.1.0', integrity: 'sha512-a' },
  'node_modules/@kurator/client': { link: true },
  'packages/client': { version: '0.1.0' },
  'node_modules/fsevents': { version: '2.3.3', integrity: 'sha512-b', optional: true },
};
const installed = {
  'node_modules/vitest': { version: '5.1.0', integrity: 'sha512-a' },
  'node_modules/@kurator/client': { link: true },
  'packages/client': { version: '0.1.0' },
};

describe('installedIsWanted', () => {
  it('is content with what the lock file names, without what other platforms need', () => {
    expect(installedIsWanted(wanted, installed)).toBe(true);
  });

  it('is content with a binary of ours that the lock file lacks', () => {
    const ours = { 'node_modules/@biomejs/cli-darwin-arm64': { version: '2.6.6', optional: true } };
    expect(installedIsWanted(wanted, { ...installed, ...ours })).toBe(true);
  });

  it('misses everything where npm never finished', () => {
    expect(installedIsWanted(wanted, undefined)).toBe(false);
  });

  it('notices a package that was added to the lock file', () => {
    expect(installedIsWanted({ ...wanted, 'node_modules/yaml': { version: '2.9.1' } }, installed)).toBe(false);
  });

  it('notices a package that was removed from the lock file', () => {
    expect(installedIsWanted(wanted, { ...installed, 'node_modules/yaml': { version: '2.9.1' } })).toBe(false);
  });

  it('notices another version, and another content of the same version', () => {
    const other = (/** @type {object} */ change) => ({
      ...installed,
      'node_modules/vitest': { ...installed['node_modules/vitest'], ...change },
    });
    expect(installedIsWanted(wanted, other({ version: '5.0.0' }))).toBe(false);
    expect(installedIsWanted(wanted, other({ integrity: 'sha512-z' }))).toBe(false);
  });
});
