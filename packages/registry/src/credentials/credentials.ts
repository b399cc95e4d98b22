import type { RepositoryName } from '../image-name.ts';

/** Who somebody is to a registry. */
export type RegistryCredentials =
  | { readonly username: string; readonly password: string }
  /** What a registry's own log-in gave, in the place of a password; exchanged for a token of minutes. */
  | { readonly identityToken: string }
  /** A token that the registry itself takes, as it is. */
  | { readonly bearerToken: string };

/** Says who one is to the registry of a repository; undefined for nobody in particular. */
export type CredentialSource = (
  place: RepositoryName,
  options?: { readonly signal?: AbortSignal | undefined },
) => Promise<RegistryCredentials | undefined>;

/** Asks one after the other; the first that knows somebody is right. */
export function firstOf(...sources: readonly CredentialSource[]): CredentialSource {
  return async (place, options) => {
    for (const source of sources) {
      const found = await source(place, options);
      if (found) return found;
    }
    return undefined;
  };
}
