import { resolve } from 'node:path';
import type { ClientConfig, Impersonation } from '../../config.ts';
import { ClientError } from '../../error.ts';
import { execPluginIn } from './exec-section.ts';
import { pemIn } from './pem.ts';
import { present } from './present.ts';
import { isAbsent, type Section, sectionIn, textIn, textsIn, wrong } from './section.ts';

/** What a user entry says of who we are. */
export async function userConfig(user: Section, cluster: Section): Promise<Partial<ClientConfig>> {
  refuseRemoved(user);
  const [cert, key] = await Promise.all([pemIn(user, 'client-certificate'), pemIn(user, 'client-key')]);
  if ((cert.text === undefined) !== (key.text === undefined)) {
    throw wrong(`${user.source}: client-certificate and client-key must be given together`);
  }
  const tokenFile = textIn(user, 'tokenFile');
  return present<Partial<ClientConfig>>({
    cert: cert.text,
    certFile: cert.file,
    key: key.text,
    keyFile: key.file,
    token: textIn(user, 'token'),
    tokenFile: tokenFile === undefined ? undefined : resolve(user.folder, tokenFile),
    exec: execPluginIn(user, cluster),
    impersonate: impersonationIn(user),
  });
}

function impersonationIn(user: Section): Impersonation | undefined {
  const name = textIn(user, 'as');
  const uid = textIn(user, 'as-uid');
  const groups = textsIn(user, 'as-groups');
  const extra = sectionIn(user, 'as-user-extra');
  if (name === undefined) {
    if (uid || groups?.length || extra) throw wrong(`${user.source}: as-uid, as-groups and as-user-extra need "as"`);
    return undefined;
  }
  const extraFields =
    extra && Object.fromEntries(Object.keys(extra.fields).map((key) => [key, textsIn(extra, key) ?? []]));
  return present<Impersonation>({ user: name, uid, groups, extra: extraFields });
}

const pluginByProvider: Record<string, string> = {
  oidc: 'kubelogin (kubectl oidc-login get-token)',
  gcp: 'gke-gcloud-auth-plugin',
  azure: 'kubelogin of Azure (kubelogin get-token)',
};

// Kubernetes has removed these. Ignoring one would send requests as someone else than the file says.
function refuseRemoved(user: Section): void {
  const provider = sectionIn(user, 'auth-provider');
  if (provider) {
    const name = textIn(provider, 'name') ?? '';
    const plugin = pluginByProvider[name] ?? 'the credential plugin of your provider';
    throw unsupported(user, `auth-provider" "${name}`, `replace it by an "exec" section that runs ${plugin}`);
  }
  const basic = ['username', 'password'].find((field) => !isAbsent(user.fields[field]));
  if (basic) throw unsupported(user, basic, 'use a token, a client certificate or an "exec" section');
}

function unsupported({ source }: Section, what: string, remedy: string): ClientError {
  return new ClientError('KUR_CLIENT_UNSUPPORTED', `${source} uses "${what}", which Kubernetes has removed: ${remedy}`);
}
