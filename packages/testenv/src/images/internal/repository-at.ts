/** A repository in a registry that is known by its URL, as a cluster's own is. */
import {
  createRegistryClient,
  type ImageName,
  type ProxySettings,
  parseImageName,
  type RegistryClient,
  type RegistryClientOptions,
  type Repository,
  registryUrl,
} from '@kurator/registry';

export interface OpenRepository extends AsyncDisposable {
  readonly repository: Repository;
  readonly name: ImageName;
}

/** @param registry A URL. @param target `repository:tag` there. */
export function repositoryAt(
  registry: string,
  target: string,
  { credentials, proxy }: Pick<RegistryClientOptions, 'credentials'> & { readonly proxy?: ProxySettings | undefined },
): OpenRepository {
  const url = registryUrl(registry, { url: registry });
  // A name whose first part has neither dot nor colon would be one of Docker Hub's.
  const port = url.protocol === 'https:' ? 443 : 80;
  const parsed = parseImageName(`${url.host.includes(':') ? url.host : `${url.host}:${port}`}/${target}`);
  const name = { ...parsed, host: url.host };
  const client: RegistryClient = createRegistryClient({
    credentials,
    registries: { [url.host]: { url: registry } },
    ...(proxy ? { proxy } : {}),
  });
  return { repository: client.repository(name), name, [Symbol.asyncDispose]: () => client.close() };
}
