import { expect, it } from 'vitest';
import { digestOf, pinned, repositoryText, tagOf } from './image-text.ts';

const digest = `sha256:${'a'.repeat(64)}`;

it.each([
  ['web', 'web', 'latest', undefined],
  ['web:1.0', 'web', '1.0', undefined],
  ['localhost:5000/demo/web', 'localhost:5000/demo/web', 'latest', undefined],
  ['localhost:5000/demo/web:1.0', 'localhost:5000/demo/web', '1.0', undefined],
  [`ghcr.io/demo/web@${digest}`, 'ghcr.io/demo/web', undefined, digest],
  [`ghcr.io/demo/web:1.0@${digest}`, 'ghcr.io/demo/web', '1.0', digest],
])('reads %s as it is written, and pins it', (image, repository, tag, known) => {
  expect([repositoryText(image), tagOf(image), digestOf(image)]).toEqual([repository, tag, known]);
  expect(pinned(image, '2.0', digest)).toBe(`${repository}:2.0@${digest}`);
  expect(pinned(image, undefined, digest)).toBe(`${repository}@${digest}`);
});
