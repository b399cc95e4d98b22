import type { ClientConfig, Impersonation } from '../../config.ts';

/** What TLS needs of us. The same object for as long as nothing in it changes. */
export interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Who we are to the server, for now. */
export interface Identity {
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly tls: TlsMaterial;
}

/** The parts of an identity that may change while we run. */
export interface Secrets extends TlsMaterial {
  readonly token?: string;
}

/** The identity that these secrets make; the earlier one, or its TLS part, where nothing has changed. */
export function identityOf(config: ClientConfig, secrets: Secrets, earlier?: Identity): Identity {
  const tls = sameTls(secrets, earlier?.tls) ?? tlsOf(secrets);
  const authorization = secrets.token ? `Bearer ${secrets.token}` : undefined;
  if (earlier && tls === earlier.tls && earlier.headers.authorization === authorization) return earlier;
  return {
    tls,
    headers: { ...(authorization ? { authorization } : {}), ...(config.impersonate && asHeaders(config.impersonate)) },
  };
}

function tlsOf({ ca, cert, key }: Secrets): TlsMaterial {
  return { ...(ca === undefined ? {} : { ca }), ...(cert === undefined || key === undefined ? {} : { cert, key }) };
}

function sameTls(now: TlsMaterial, earlier: TlsMaterial | undefined): TlsMaterial | undefined {
  const same = earlier && now.ca === earlier.ca && now.cert === earlier.cert && now.key === earlier.key;
  return same ? earlier : undefined;
}

function asHeaders({ user, uid, groups, extra = {} }: Impersonation): Record<string, string | string[]> {
  const extras = Object.entries(extra).map(([key, values]) => [
    `impersonate-extra-${encodeURIComponent(key).toLowerCase()}`,
    [...values],
  ]);
  return {
    'impersonate-user': user,
    ...(uid ? { 'impersonate-uid': uid } : {}),
    ...(groups?.length ? { 'impersonate-group': [...groups] } : {}),
    ...Object.fromEntries(extras),
  };
}
