import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { kubeconfigFromYaml, loadKubeconfig } from './kubeconfig.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

function kubeconfig({ cluster = {}, user = {}, context = {} }: Record<string, object>): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [
      { name: 'main', context: { cluster: 'c', user: 'u', ...context } },
      { name: 'other', context: { cluster: 'c', user: 'u', namespace: 'elsewhere' } },
    ],
    'current-context': 'main',
  });
}

describe('understands', () => {
  it('embedded certificates', async () => {
    const text = kubeconfig({
      cluster: { 'certificate-authority-data': base64('CA'), 'tls-server-name': 'api' },
      user: { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') },
      context: { namespace: 'team' },
    });
    expect(await kubeconfigFromYaml(text)).toEqual({
      server: 'https://127.0.0.1:6443',
      ca: 'CA',
      cert: 'CERT',
      key: 'KEY',
      tlsServerName: 'api',
      namespace: 'team',
    });
  });

  it('a token', async () => {
    expect(await kubeconfigFromYaml(kubeconfig({ user: { token: 'abc' } }))).toMatchObject({ token: 'abc' });
  });

  it('an exec plugin', async () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      command: './bin/login',
      args: ['--now'],
      env: [{ name: 'A', value: 'b' }],
      installHint: 'get it\n',
      interactiveMode: 'Never',
      provideClusterInfo: true,
    };
    const extensions = [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'x' } }];
    const text = kubeconfig({ user: { exec }, cluster: { extensions } });
    expect((await kubeconfigFromYaml(text, { folder: '/home/me' })).exec).toEqual({
      ...exec,
      command: '/home/me/bin/login',
      env: { A: 'b' },
      installHint: 'get it',
      clusterConfig: { audience: 'x' },
    });
  });

  it('impersonation', async () => {
    const user = { as: 'jane', 'as-uid': '7', 'as-groups': ['a'], 'as-user-extra': { scopes: ['x'] } };
    expect((await kubeconfigFromYaml(kubeconfig({ user }))).impersonate).toEqual({
      user: 'jane',
      uid: '7',
      groups: ['a'],
      extra: { scopes: ['x'] },
    });
  });

  it('a proxy', async () => {
    const text = kubeconfig({ cluster: { 'proxy-url': 'socks5://127.0.0.1:1080' } });
    expect(await kubeconfigFromYaml(text)).toMatchObject({ proxyUrl: 'socks5://127.0.0.1:1080' });
  });

  it('another context than the current one', async () => {
    expect(await kubeconfigFromYaml(kubeconfig({}), { context: 'other' })).toMatchObject({ namespace: 'elsewhere' });
  });
});

describe('files', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });

  it('are looked for beside the kubeconfig', async () => {
    await mkdir(join(folder, 'pki'));
    await writeFile(join(folder, 'pki', 'ca.crt'), 'CA');
    await writeFile(join(folder, 'config'), kubeconfig({ cluster: { 'certificate-authority': 'pki/ca.crt' } }));
    expect(await loadKubeconfig(join(folder, 'config'))).toMatchObject({ ca: 'CA' });
  });

  it('are found by $KUBECONFIG', async () => {
    await writeFile(join(folder, 'config'), kubeconfig({ user: { token: 'abc' } }));
    vi.stubEnv('KUBECONFIG', join(folder, 'config'));
    expect(await loadKubeconfig()).toMatchObject({ token: 'abc' });
  });

  it('of several, the first to say something holds, and paths start at the file that names them', async () => {
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    for (const where of [first, second]) await mkdir(where);
    await writeFile(join(first, 'config'), stringify({ users: [{ name: 'u', user: { tokenFile: 'token' } }] }));
    await writeFile(join(second, 'ca.crt'), 'CA');
    await writeFile(
      join(second, 'config'),
      kubeconfig({ cluster: { 'certificate-authority': 'ca.crt' }, user: { token: 'not this one' } }),
    );
    vi.stubEnv('KUBECONFIG', [join(first, 'config'), join(folder, 'missing'), join(second, 'config')].join(':'));
    expect(await loadKubeconfig()).toEqual({
      server: 'https://127.0.0.1:6443',
      ca: 'CA',
      caFile: join(second, 'ca.crt'),
      tokenFile: join(first, 'token'),
    });
  });

  it('that are all missing are named', async () => {
    const files = `${join(folder, 'a')}:${join(folder, 'b')}`;
    await expect(loadKubeconfig(files)).rejects.toThrow(`${join(folder, 'a')}, ${join(folder, 'b')}`);
  });

  it('that are missing are named', async () => {
    await expect(loadKubeconfig(join(folder, 'nowhere'))).rejects.toMatchObject({
      code: 'KUR_CLIENT_KUBECONFIG',
      message: expect.stringContaining(join(folder, 'nowhere')),
    });
    await expect(
      kubeconfigFromYaml(kubeconfig({ cluster: { 'certificate-authority': 'gone.crt' } }), { folder }),
    ).rejects.toThrow(/certificate-authority can't be read.*gone\.crt/);
  });
});

describe('says what is wrong with', () => {
  it.each([
    ['text that is not YAML', 'a: [', /is not YAML/],
    ['an empty file', '', /must be a set of fields/],
    ['a list', '[]', /must be a set of fields/],
    ['no current context', 'contexts: [{name: a}, {name: b}]', /no current-context.*\(a, b\)/],
    ['an unknown context', 'current-context: x\ncontexts: [{name: a}]', /no context "x": it has a/],
    ['a context without a cluster', 'current-context: a\ncontexts: [{name: a, context: {}}]', /"a" has no cluster/],
    ['a server that is no URL', kubeconfig({ cluster: { server: 'localhost:6443' } }), /is not an http or https URL/],
    ['a certificate without a key', kubeconfig({ user: { 'client-certificate-data': 'eA==' } }), /given together/],
    [
      'a certificate that is not base64',
      kubeconfig({ user: { 'client-certificate-data': '-----BEGIN CERTIFICATE-----', 'client-key-data': 'eA==' } }),
      /"client-certificate-data" must be base64/,
    ],
    ['a token that is a number', kubeconfig({ user: { token: 5 } }), /"token" must be text/],
    ['an exec plugin without a command', kubeconfig({ user: { exec: {} } }), /"exec" has no command/],
    [
      'an exec plugin of no version',
      kubeconfig({ user: { exec: { command: 'x' } } }),
      /"apiVersion" is "": it must be/,
    ],
    ['groups without a user', kubeconfig({ user: { 'as-groups': ['a'] } }), /need "as"/],
    ['groups that are no list', kubeconfig({ user: { as: 'a', 'as-groups': 'b' } }), /must be a list of texts/],
    ['a proxy that is none', kubeconfig({ cluster: { 'proxy-url': 'ftp://x' } }), /"proxy-url" is not an http/],
    [
      'trust and distrust at once',
      kubeconfig({ cluster: { 'insecure-skip-tls-verify': true, 'certificate-authority-data': 'eA==' } }),
      /exclude each other/,
    ],
    ['clusters that are no list', 'current-context: a\ncontexts: {}', /"contexts" must be a list/],
  ])('%s', async (_, text, message) => {
    await expect(kubeconfigFromYaml(text)).rejects.toMatchObject({
      code: 'KUR_CLIENT_KUBECONFIG',
      message: expect.stringMatching(message),
    });
  });

  it.each([
    ['a password', { user: { username: 'a', password: 'b' } }, /"username".*removed: use a token/],
    ['OIDC of old', { user: { 'auth-provider': { name: 'oidc' } } }, /"auth-provider" "oidc".*runs kubelogin/],
    ['GKE of old', { user: { 'auth-provider': { name: 'gcp' } } }, /runs gke-gcloud-auth-plugin/],
  ])('%s, which Kubernetes has removed', async (_, parts, message) => {
    await expect(kubeconfigFromYaml(kubeconfig(parts))).rejects.toMatchObject({
      code: 'KUR_CLIENT_UNSUPPORTED',
      message: expect.stringMatching(message),
    });
  });

  it('broken YAML, without quoting the secret in it', async () => {
    const error = await kubeconfigFromYaml('users:\n  - token: "s3cret\n  x: [').catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(/line \d+/);
    expect(JSON.stringify(error) + String(error)).not.toContain('s3cret');
  });
});
