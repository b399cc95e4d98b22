import { expect, it } from 'vitest';
import { pullSecretCredentials } from './docker-config.ts';

const entry = (name: string) => ({ auth: Buffer.from(`${name}:x`).toString('base64') });
const secret = (auths: object) => JSON.stringify({ auths });
const who = (name: string) => ({ username: name, password: 'x' });
const place = { host: 'eu.r.example.com', repository: 'demo/web' };

it.each([
  ['the host', { 'eu.r.example.com': entry('host') }, 'host'],
  ['a pattern, part by part', { '*.r.example.com': entry('pattern'), '*.example.com': entry('no') }, 'pattern'],
  ['a pattern within a part', { 'e*.r.ex*le.com': entry('pattern'), 'x*.r.example.com': entry('no') }, 'pattern'],
  ['the host before a pattern', { '*.r.example.com': entry('pattern'), 'eu.r.example.com': entry('host') }, 'host'],
  ['the longest path', { 'eu.r.example.com': entry('host'), 'https://eu.r.example.com/demo': entry('path') }, 'path'],
])('finds a log-in by %s', async (_, auths, expected) => {
  expect(await pullSecretCredentials(secret(auths))(place)).toEqual(who(expected));
});

it.each([
  ['another port', { 'eu.r.example.com:5000': entry('no') }],
  ['another path', { 'eu.r.example.com/dem': entry('no'), 'eu.r.example.com/other': entry('no') }],
  ['a pattern of fewer parts', { '*.example.com': entry('no'), '*': entry('no') }],
])('takes no log-in for %s', async (_, auths) => {
  expect(await pullSecretCredentials(secret(auths))(place)).toBeUndefined();
});

it('asks one Secret after the other, also of the older kind', async () => {
  const source = pullSecretCredentials(
    secret({ 'other.example.com': entry('no') }),
    JSON.stringify({ 'eu.r.example.com': entry('older') }),
  );
  expect(await source(place)).toEqual(who('older'));
});

it('starts no program that a Secret names', async () => {
  expect(await pullSecretCredentials(JSON.stringify({ auths: {}, credsStore: 'test' }))(place)).toBeUndefined();
});

it('says that a Secret is broken', () => {
  expect(() => pullSecretCredentials('c2VjcmV0')).toThrow('The pull Secret is not JSON.');
});
