import { expect, it } from 'vitest';
import { archiveName } from './archive-name.ts';

it('is the full name, as nodes look for it', () => {
  expect(archiveName('demo/web')).toBe('docker.io/demo/web:latest');
});

it('has no digest, because the content decides it', () => {
  expect(() => archiveName(`web@sha256:${'0'.repeat(64)}`)).toThrow(
    expect.objectContaining({ code: 'KUR_TESTENV_IMAGE_NAME', message: expect.stringContaining('it has a digest') }),
  );
});
