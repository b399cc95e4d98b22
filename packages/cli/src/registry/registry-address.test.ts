import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { credentialsFor } from './docker-config.ts';
import { registryAddress } from './registry-address.ts';

describe('where a registry is', () => {
  it.each([
    ['registry.example.com/demo/web:1', false, 'https://registry.example.com', 'demo/web:1'],
    ['localhost:5000/web', false, 'http://localhost:5000', 'web:latest'],
    ['127.0.0.1:5000/web:1', false, 'http://127.0.0.1:5000', 'web:1'],
    ['10.0.0.3:5000/web:1', false, 'https://10.0.0.3:5000', 'web:1'],
    ['10.0.0.3:5000/web:1', true, 'http://10.0.0.3:5000', 'web:1'],
    ['web:1', false, 'https://registry-1.docker.io', 'library/web:1'],
  ])('%s, insecure %s', (name, insecure, url, target) => {
    expect(registryAddress(name, insecure)).toMatchObject({ url, target });
  });
});

describe('who one is to a registry', () => {
  async function environment(config: object | string): Promise<NodeJS.ProcessEnv> {
    const folder = await mkdtemp(join(tmpdir(), 'kurator-docker-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'config.json'), typeof config === 'string' ? config : JSON.stringify(config));
    const helper = '#!/bin/sh\nread host\necho "{\\"Username\\":\\"<token>\\",\\"Secret\\":\\"for-$host\\"}"\n';
    await writeFile(join(folder, 'docker-credential-test'), helper, { mode: 0o755 });
    return { DOCKER_CONFIG: folder, PATH: `${folder}:/usr/bin:/bin` };
  }
  const auth = Buffer.from('me:pass:word').toString('base64');

  it.each([
    ['a password', { auths: { 'r.example.com': { auth } } }, { username: 'me', password: 'pass:word' }],
    ['a token', { auths: { 'r.example.com': { auth, identitytoken: 't' } } }, { identityToken: 't' }],
    ['a helper', { credHelpers: { 'r.example.com': 'test' } }, { identityToken: 'for-r.example.com' }],
    [
      'a helper that is not there',
      { credsStore: 'gone', auths: { 'r.example.com': { auth } } },
      { username: 'me', password: 'pass:word' },
    ],
    ['nothing', { auths: { 'other.example.com': { auth } } }, undefined],
  ])('is told by %s', async (_, config, expected) => {
    expect(await credentialsFor('r.example.com', await environment(config))).toEqual(expected);
  });

  it('says which file is broken', async () => {
    await expect(credentialsFor('r.example.com', await environment('{'))).rejects.toMatchObject({
      code: 'KUR_CLI_DOCKER_CONFIG',
    });
  });
});
