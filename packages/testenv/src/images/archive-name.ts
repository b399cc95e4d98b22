import { parseImageName } from '@kurator/registry';
import { TestenvError } from '../error.ts';

/** The full name of an image that is made or loaded here: `docker.io/library/web:v1` for `web:v1`. Its content decides the digest. */
export function archiveName(name: string): string {
  const { host, repository, tag, digest } = parseImageName(name);
  if (digest === undefined) return `${host}/${repository}:${tag}`;
  throw new TestenvError(
    'KUR_TESTENV_IMAGE_NAME',
    `"${name}" can't be the name of an image that is made here: it has a digest.`,
    {
      remedy: 'Leave `@sha256:…` away: the content decides the digest.',
    },
  );
}
