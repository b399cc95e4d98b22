import { describe, expect, it } from 'vitest';
import { npmCommand, npmFailed } from './npm.mjs';

describe('npmCommand', () => {
  it('is the npm that started us, on the Node that was brought', () => {
    expect(npmCommand('/lib/npm/bin/npm-cli.js', '/cache/node')).toEqual({
      command: '/cache/node',
      prefix: ['/lib/npm/bin/npm-cli.js'],
    });
  });

  it.each([undefined, '/lib/pnpm/bin/pnpm.cjs'])('is the npm on the path when %s started us', (execPath) => {
    expect(npmCommand(execPath, '/cache/node')).toEqual({ command: 'npm', prefix: [] });
  });
});

describe('npmFailed', () => {
  it('tells an unreachable registry from other failures', () => {
    const error = npmFailed(['ci'], 'npm error code ENOTFOUND\nnpm error network request to …');
    expect(error.message).toBe("The package registry can't be reached (ENOTFOUND in `npm ci`).");
    expect(error.remedy).toContain('proxy');
  });

  it('names a full disk', () => {
    expect(npmFailed(['ci'], 'npm error ENOSPC: no space left on device').message).toContain('The disk is full');
  });

  it('quotes the end of what npm said otherwise', () => {
    const said = Array.from({ length: 20 }, (_, index) => `line ${index}`).join('\n');
    const { message } = npmFailed(['ci'], said);
    expect(message).toContain('line 19');
    expect(message).not.toContain('line 11\n');
  });
});
