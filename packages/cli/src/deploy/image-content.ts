/** Which content an image's name stands for just now, so that new content under an old name is rolled out. */
import type { Client } from '@kurator/client';
import { Deployment } from '@kurator/client';
import type { ActionContext } from '@kurator/command';
import {
  createRegistryClient,
  dockerCredentials,
  parseImageName,
  proxiesOf,
  type RegistryClientOptions,
  referenceOf,
} from '@kurator/registry';
import { findArchive } from '@kurator/testenv';
import { DIGEST_ANNOTATION, namespaceOf, type OperatorDescription } from '../manifests/description.ts';

/** In milliseconds. A registry that does not answer in this time is told of: the image is then taken by its name. */
const PATIENCE = 15_000;
/** A name that says which registry. */
const WITH_REGISTRY = /^([^/]*[.:][^/]*|localhost)\//;

/** How registries are asked. */
interface AskOptions extends Pick<RegistryClientOptions, 'registries'> {
  /** Milliseconds. Default: 15 s. */
  readonly patience?: number;
}

/**
 * With a registry, the pods are told the digest, and nodes that have other content under the name pull it. What was loaded
 * into nodes has no digest there that could be asked for: it is only written beside the name.
 */
export async function withContent(
  client: Client,
  description: OperatorDescription,
  context: Pick<ActionContext, 'say' | 'signal'>,
  options: AskOptions = {},
): Promise<OperatorDescription> {
  const { image } = description;
  if (image.includes('@')) return description;
  const inRegistry = async () => {
    const digest = await digestInRegistry(image, context, options);
    return digest && { ...description, image: `${image}@${digest}` };
  };
  const loaded = async () => {
    const digest = (await findArchive(image).catch(() => undefined))?.digest;
    const imageDigest = digest ?? (await digestBefore(client, description, context.signal));
    return imageDigest ? { ...description, imageDigest } : undefined;
  };
  // A name without a registry is that of Docker Hub to a node. What was built here under such a name is not what anybody may have put
  // there; and what has no owner in its name is nothing that Docker Hub would have of us.
  const ways = WITH_REGISTRY.test(image)
    ? [inRegistry, loaded]
    : [loaded, ...(image.includes('/') ? [inRegistry] : [])];
  for (const way of ways) {
    const known = await way();
    if (known) return known;
  }
  return description;
}

async function digestInRegistry(
  image: string,
  { say, signal }: Pick<ActionContext, 'say' | 'signal'>,
  { patience = PATIENCE, registries = {} }: AskOptions,
): Promise<string | undefined> {
  const notPinned = (why: string) => {
    say(`Not pinned: its registry ${why}.`);
    say(
      'Nodes that have an image of that name run it, whatever it is; to be sure, give the digest: --image NAME@sha256:…',
    );
  };
  try {
    await using client = createRegistryClient({
      credentials: dockerCredentials(),
      registries,
      proxy: proxiesOf(process.env),
    });
    const either = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
    const digest = await client.repository(image).digest(referenceOf(parseImageName(image)), { signal: either });
    if (!digest) notPinned(`does not have ${image} just now`);
    return digest;
  } catch (error) {
    signal.throwIfAborted();
    const why =
      error instanceof Error && error.name === 'TimeoutError' ? `no answer in ${patience / 1000} s` : String(error);
    notPinned(`did not say which content ${image} has (${why})`);
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
