/** The text of an image in a pod, whose own spelling of the name is kept. */

/** What of it names the repository, as it was written: `web`, `ghcr.io/demo/web`. */
export function repositoryText(image: string): string {
  const name = image.split('@', 1)[0] ?? '';
  const colon = name.lastIndexOf(':');
  return colon > name.lastIndexOf('/') ? name.slice(0, colon) : name;
}

export function tagOf(image: string): string | undefined {
  const name = image.split('@', 1)[0] ?? '';
  const tag = name.slice(repositoryText(image).length + 1);
  // What has neither is `latest`, as the kubelet reads it.
  return tag || (image.includes('@') ? undefined : 'latest');
}

export function digestOf(image: string): string | undefined {
  const at = image.indexOf('@');
  return at < 0 ? undefined : image.slice(at + 1);
}

/** The same repository at a digest, with the tag for people to read. */
export function pinned(image: string, tag: string | undefined, digest: string): string {
  return `${repositoryText(image)}${tag === undefined ? '' : `:${tag}`}@${digest}`;
}
