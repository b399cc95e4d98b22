import { describe, expect, it } from 'vitest';
import { createFolderStore, createS3Store, type GetOptions, type PutOptions } from '../index.ts';
import { addressOf } from '../s3/s3-options.ts';

const credentials = { accessKeyId: 'someone', secretAccessKey: 'a-secret-that-nobody-may-see' };
const store = createFolderStore({ folder: '/nowhere' });
const digest = 'a'.repeat(64);

describe('options that make no sense are named', () => {
  it.each<[string, PutOptions]>([
    ['ifMatch', { ifAbsent: true, ifMatch: 'x' }],
    ['ifMatch', { ifMatch: '"quoted"' }],
    ['ifMatch', { ifMatch: 'a\r\nb' }],
    ['sha256', { sha256: 'abc' }],
    ['metadata["A"]', { metadata: { A: 'x' } }],
    ['metadata["kurator-write"]', { metadata: { 'kurator-write': 'x' } }],
    ['metadata["a"]', { metadata: { a: 'ä' } }],
    ['metadata["a"]', { metadata: { a: ' x' } }],
    ['metadata["a"]', { metadata: { a: 'x\r\nhost: y' } }],
    ['metadata', { metadata: { a: 'x'.repeat(2048) } }],
    ['token', { token: '' }],
    ['partSize', { partSize: 1000 }],
    ['partSize', { partSize: 2 ** 30 }],
    ['parallel', { parallel: 0 }],
    ['timeout', { timeout: -1 }],
  ])('%s: put with %j', async (field, options) => {
    const message = expect.stringContaining(field);
    await expect(store.put('key', Buffer.from(''), options)).rejects.toMatchObject({
      code: 'KUR_STORE_OPTION',
      message,
    });
  });

  it.each<[string, GetOptions]>([
    ['start', { start: -1 }],
    ['start', { start: 1.5 }],
    ['end', { start: 5, end: 4 }],
    ['sha256', { start: 5, sha256: digest }],
  ])('%s: get with %j', async (field, options) => {
    const message = expect.stringContaining(field);
    await expect(store.get('key', options)).rejects.toMatchObject({ code: 'KUR_STORE_OPTION', message });
  });

  it.each([
    ['bucket', { bucket: 'a/b' }],
    ['bucket', { bucket: '' }],
    ['endpoint', { endpoint: 's3.example.com' }],
    ['endpoint', { endpoint: 'ftp://s3.example.com' }],
    ['endpoint', { endpoint: 'https://user:password@s3.example.com' }],
    ['retries', { retries: -1 }],
    ['idleTimeout', { idleTimeout: 0 }],
  ])('%s: a store with %j', (field, options) => {
    const make = () => createS3Store({ bucket: 'backups', credentials, ...options });
    expect(make).toThrow(
      expect.objectContaining({ code: 'KUR_STORE_OPTION', message: expect.stringContaining(field) }),
    );
  });

  it('a folder that is not there', async () => {
    await expect(store.head('key')).rejects.toMatchObject({ code: 'KUR_STORE_NO_BUCKET' });
  });

  it.each([
    ['a line end', 'secret\n'],
    ['nothing', ''],
  ])('%s in credentials, without showing them', async (_name, secretAccessKey) => {
    const bad = createS3Store({ bucket: 'backups', credentials: { accessKeyId: 'me', secretAccessKey } });
    const error = await bad.head('key').catch((caught) => caught);
    expect(error).toMatchObject({ code: 'KUR_STORE_CREDENTIALS', message: expect.stringContaining('secretAccessKey') });
    expect(error.message).not.toMatch(/secret\n/);
  });
});

describe('where a bucket is', () => {
  const where = (options: object, region = 'eu-central-1') => {
    const { isTls, hostname, port, host, base } = addressOf({ bucket: 'backups', credentials, ...options }, region);
    return `${isTls ? 'https' : 'http'} ${hostname}:${port} ${host} ${base}`;
  };

  it.each([
    [{}, 'https backups.s3.eu-central-1.amazonaws.com:443 backups.s3.eu-central-1.amazonaws.com '],
    [{ addressing: 'path' }, 'https s3.eu-central-1.amazonaws.com:443 s3.eu-central-1.amazonaws.com /backups'],
    [{ endpoint: 'http://minio:9000' }, 'http minio:9000 minio:9000 /backups'],
    [{ endpoint: 'https://s3.example.com/base/' }, 'https s3.example.com:443 s3.example.com /base/backups'],
    [
      { endpoint: 'https://s3.example.com', addressing: 'virtual-host' },
      'https backups.s3.example.com:443 backups.s3.example.com ',
    ],
    [{ endpoint: 'http://[::1]:9000' }, 'http ::1:9000 [::1]:9000 /backups'],
  ])('%j', (options, expected) => {
    expect(where(options)).toBe(expected);
  });
});
