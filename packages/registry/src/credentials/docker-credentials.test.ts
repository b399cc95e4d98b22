import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { dockerCredentials } from './docker-credentials.ts';

const place = { host: 'r.example.com', repository: 'demo/web' };
const auth = Buffer.from('me:pass:word').toString('base64');
const me = { username: 'me', password: 'pass:word' };

/** Of a machine whose user has these files in his home. */
async function machine(files: Readonly<Record<string, object | string>>): Promise<NodeJS.ProcessEnv> {
  const home = await mkdtemp(join(tmpdir(), 'kurator-docker-'));
  onTestFinished(() => rm(home, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(home, name)), { recursive: true });
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    await writeFile(join(home, name), text, { mode: 0o755 });
  }
  return { HOME: home, PATH: `${home}:/usr/bin:/bin`, XDG_RUNTIME_DIR: join(home, 'run') };
}

const helper = (script: string) => ({ 'docker-credential-test': `#!/bin/sh\n${script}\n` });
const config = '.docker/config.json';

it.each([
  ['a password', { auths: { 'r.example.com': { auth } } }, me],
  [
    'a name and a password',
    { auths: { 'r.example.com': { username: 'me', password: 'p' } } },
    { username: 'me', password: 'p' },
  ],
  ['a token', { auths: { 'r.example.com': { auth, identitytoken: 't' } } }, { identityToken: 't' }],
  ['a token that the registry takes', { auths: { 'r.example.com': { registrytoken: 't' } } }, { bearerToken: 't' }],
  ['a URL', { auths: { 'https://r.example.com/v2/': { auth } } }, me],
  ['a program', { credHelpers: { 'r.example.com': 'test' } }, { identityToken: 'for-r.example.com' }],
  [
    'the program for all',
    { credsStore: 'test', auths: { 'r.example.com': {} } },
    { identityToken: 'for-r.example.com' },
  ],
  ['a file, where the program is not there', { credsStore: 'gone', auths: { 'r.example.com': { auth } } }, me],
  [
    'nobody, where it is about another',
    { auths: { 'other.example.com': { auth }, 'example.com': { auth } } },
    undefined,
  ],
  ['nobody, where the entry is empty', { auths: { 'r.example.com': {} } }, undefined],
])('knows who one is by %s', async (_, content, expected) => {
  const tells = helper('read host\necho "{\\"Username\\":\\"<token>\\",\\"Secret\\":\\"for-$host\\"}"');
  const environment = await machine({ [config]: content, ...tells });
  expect(await dockerCredentials({ environment })(place)).toEqual(expected);
});

it('knows Docker Hub by its name of long ago', async () => {
  const environment = await machine({ [config]: { auths: { 'https://index.docker.io/v1/': { auth } } } });
  expect(await dockerCredentials({ environment })({ host: 'docker.io', repository: 'library/web' })).toEqual(me);
});

it('takes the most particular log-in of podman, after those of docker', async () => {
  const theirs = { auth: Buffer.from('they:x').toString('base64') };
  const environment = await machine({
    'run/containers/auth.json': { auths: { 'r.example.com': theirs, 'r.example.com/demo': { auth } } },
  });
  const who = dockerCredentials({ environment });
  expect(await who(place)).toEqual(me);
  expect(await who({ ...place, repository: 'demonstration/web' })).toEqual({ username: 'they', password: 'x' });
  const named = await machine({
    [config]: { auths: { 'r.example.com': { auth } } },
    'mine.json': { auths: { 'r.example.com': theirs } },
  });
  const file = { ...named, REGISTRY_AUTH_FILE: join(named.HOME ?? '', 'mine.json') };
  expect(await dockerCredentials({ environment: file })(place)).toEqual({ username: 'they', password: 'x' });
});

it('is nobody on a machine without files', async () => {
  expect(await dockerCredentials({ environment: await machine({}) })(place)).toBeUndefined();
});

it.each([
  ['{"auths":{"r.example.com":{"auth":"c2VjcmV0"', 'is not JSON'],
  ['["c2VjcmV0"]', 'is not a JSON object'],
  ['{"auths":["c2VjcmV0"]}', '`auths`'],
  ['{"credHelpers":{"x":["c2VjcmV0"]}}', '`credHelpers`'],
])('says which file is broken, and quotes nothing of it: %s', async (text, why) => {
  const environment = await machine({ [config]: text });
  const error = await dockerCredentials({ environment })(place).catch((thrown: unknown) => thrown as Error);
  expect(error).toMatchObject({
    code: 'KUR_REGISTRY_CREDENTIALS',
    message: expect.stringContaining(why),
    remedy: expect.any(String),
  });
  expect(error).toMatchObject({ message: expect.stringContaining(join(environment.HOME ?? '', config)) });
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('c2VjcmV0');
});

it.each([
  ['gives no JSON', 'echo secret', 'gave no JSON object'],
  ['never ends its answer', 'yes secret', 'gave more than 64 KiB'],
  ['never answers', 'sleep 600', 'took longer than 0.3 s'],
])('ends a program that %s', async (_, script, why) => {
  const environment = await machine({ [config]: { credsStore: 'test' }, ...helper(script) });
  const patience = script.startsWith('sleep') ? 300 : 20_000;
  const error = await dockerCredentials({ environment, patience })(place).catch((thrown: unknown) => thrown as Error);
  expect(error).toMatchObject({ code: 'KUR_REGISTRY_CREDENTIALS', message: expect.stringContaining(why) });
  expect(String(error)).not.toContain('secret');
});

it('starts no program by a path', async () => {
  const environment = await machine({ [config]: { credsStore: '../../tmp/evil' } });
  await expect(dockerCredentials({ environment })(place)).rejects.toThrow('is no name of a program');
});

it('takes a program that knows nothing for nobody', async () => {
  const environment = await machine({
    [config]: { credsStore: 'test' },
    ...helper('echo credentials not found; exit 1'),
  });
  expect(await dockerCredentials({ environment })(place)).toBeUndefined();
});
