/** One repository of a registry as the mirror reads it, by the machine's own log-ins, authorities and proxies. */
import { Readable } from 'node:stream';
import {
  createRegistryClient,
  dockerCredentials,
  MEDIA_TYPE,
  proxiesOf,
  type RegistryClient,
  type RegistryCredentials,
  RegistryError,
} from '@kurator/registry';

/** A place in a registry, and who asks. */
export interface Place {
  /** As image names begin with it: `docker.io`, `localhost:5000`. */
  readonly host: string;
  readonly repository: string;
  /** Who asks; the log-in of this machine's user unless told. */
  readonly credentials?: RegistryCredentials | undefined;
}

/** What a registry has. */
export interface Upstream {
  /** What a tag stands for now. */
  digestOf(tag: string): Promise<string>;
  manifest(digest: string): Promise<Readable>;
  blob(digest: string): Promise<{ readonly body: Readable; readonly size: number }>;
}

/** The client through which a mirror reads: one for all that it does, so that tokens and budgets are shared. */
export function upstreamClient(env: NodeJS.ProcessEnv = process.env): RegistryClient {
  return createRegistryClient({ credentials: dockerCredentials({ environment: env }), proxy: proxiesOf(env) });
}

export function openUpstream(client: RegistryClient, place: Place, signal?: AbortSignal): Upstream {
  const asking = place.credentials ? client.as(place.credentials) : client;
  const repository = asking.repository(place);
  const options = { signal };
  return {
    async digestOf(tag) {
      const digest = await repository.digest(tag, options);
      if (!digest) throw missing(place, tag);
      return digest;
    },
    manifest: async (digest) => Readable.from([(await repository.manifest(digest, options)).bytes]),
    async blob(digest) {
      const size = await repository.blobSize(digest, options);
      if (size === undefined) throw missing(place, digest);
      return { size, body: repository.blob({ mediaType: MEDIA_TYPE.layer, digest, size }, options) };
    },
  };
}

function missing({ host, repository }: Place, reference: string): RegistryError {
  const remedy = 'Check the name; a private repository also looks like this to strangers.';
  const details = { remedy, registry: host, repository, status: 404 };
  return new RegistryError('KUR_REGISTRY_NOT_FOUND', `${host}/${repository} has no ${reference}.`, details);
}
