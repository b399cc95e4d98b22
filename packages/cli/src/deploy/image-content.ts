/** Which content an image's name stands for just now, so that new content under an old name is rolled out. */
import type { Client } from '@kurator/client';
import { Deployment } from '@kurator/client';
import { createRegistryClient, dockerCredentials, parseImageName, referenceOf } from '@kurator/registry';
import { findArchive } from '@kurator/testenv';
import type { ActionContext } from '../action.ts';
import { DIGEST_ANNOTATION, namespaceOf, type OperatorDescription } from '../manifests/description.ts';

/** In milliseconds. A registry that does not answer in this time is told of: the image is then taken by its name. */
const PATIENCE = 15_000;
/** A name that says which registry; one that doesn't is looked for on this machine alone. */
const WITH_REGISTRY = /^([^/]*[.:][^/]*|localhost)\//;

/**
 * With a registry, the pods are told the digest, and nodes that have other content under the name pull it. What was loaded
 * into nodes has no digest there that could be asked for: it is only written beside the name.
 */
export async function withContent(
  client: Client,
  description: OperatorDescription,
  context: Pick<ActionContext, 'say' | 'signal'>,
  patience = PATIENCE,
): Promise<OperatorDescription> {
  const { image } = description;
  const { signal } = context;
  if (image.includes('@')) return description;
  const inRegistry = WITH_REGISTRY.test(image) ? await digestInRegistry(image, context, patience) : undefined;
  if (inRegistry) return { ...description, image: `${image}@${inRegistry}` };
  const digest = (await findArchive(image).catch(() => undefined))?.digest;
  const imageDigest = digest ?? (await digestBefore(client, description, signal));
  return imageDigest ? { ...description, imageDigest } : description;
}

async function digestInRegistry(
  image: string,
  { say, signal }: Pick<ActionContext, 'say' | 'signal'>,
  patience: number,
): Promise<string | undefined> {
  try {
    await using registries = createRegistryClient({ credentials: dockerCredentials() });
    const either = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
    return await registries.repository(image).digest(referenceOf(parseImageName(image)), { signal: either });
  } catch (error) {
    signal.throwIfAborted();
    const why =
      error instanceof Error && error.name === 'TimeoutError' ? `no answer in ${patience / 1000} s` : String(error);
    say(`Not pinned: its registry did not say which content ${image} has (${why}).`);
    say(
      'Nodes that have an image of that name run it, whatever it is; to be sure, give the digest: --image NAME@sha256:…',
    );
    return undefined;
  }
}

/** Nobody here knows: what was written by who did is no reason to restart anything. */
async function digestBefore(
  client: Client,
  description: OperatorDescription,
  signal: AbortSignal,
): Promise<string | undefined> {
  const ref = { name: description.name, namespace: namespaceOf(description) };
  const live = (await client.find(Deployment, ref, { signal }))?.spec?.template;
  const isSame = live?.spec?.containers.some(({ image }) => image === description.image);
  return isSame ? live?.metadata?.annotations?.[DIGEST_ANNOTATION] : undefined;
}
