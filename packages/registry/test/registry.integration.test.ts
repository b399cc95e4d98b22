/** Against real registries. */
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  type Blob,
  blobOfBytes,
  blobOfJson,
  createRegistryClient,
  descriptorOf,
  isIndex,
  MEDIA_TYPE,
  type RegistryClientOptions,
  type Repository,
} from '../src/index.ts';
import { selfSigned } from './support/certificate.ts';
import { programs, RealRegistry } from './support/real-registry.ts';
import { collect } from './support/scripted-server.ts';
import { tokenServer } from './support/token-server.ts';

function clientWith(options: RegistryClientOptions = {}) {
  const client = createRegistryClient(options);
  onTestFinished(() => client.close());
  return client;
}

interface Image {
  readonly manifest: Blob;
  readonly layer: Blob;
}

/** Pushes an image of one layer. */
async function pushed(repository: Repository, tag: string, content: Uint8Array = randomBytes(1000)): Promise<Image> {
  const layer = blobOfBytes(content);
  const config = blobOfJson({
    os: 'linux',
    architecture: 'amd64',
    rootfs: { type: 'layers', diff_ids: [layer.digest] },
  });
  for (const blob of [layer, config]) await repository.pushBlob(blob);
  const manifest = blobOfJson({
    schemaVersion: 2,
    mediaType: MEDIA_TYPE.manifest,
    config: descriptorOf(MEDIA_TYPE.config, config),
    layers: [descriptorOf(MEDIA_TYPE.layer, layer)],
  });
  await repository.pushManifest(tag, MEDIA_TYPE.manifest, manifest);
  return { manifest, layer };
}

const password = 'pa:ss';
const me = { username: 'me', password };

/** Where everything has to run, a machine without one fails. */
const judged =
  programs.length > 0 || process.env.CI !== 'true' ? programs : [{ title: 'none', program: 'docker-registry' }];

describe.each(judged)('$title', ({ program }) => {
  describe('open to everybody', () => {
    let registry: RealRegistry;
    beforeAll(async () => {
      registry = await RealRegistry.start(program);
    });
    afterAll(() => registry?.[Symbol.asyncDispose]());

    it('gives back what it was given, and says its digest', async () => {
      const web = clientWith().repository(`${registry.host}/demo/web`);
      const { manifest, layer } = await pushed(web, 'v1', randomBytes(3_000_000));
      expect(await web.digest('v1')).toBe(manifest.digest);
      expect(await web.digest('none')).toBeUndefined();
      const found = await web.manifest('v1');
      expect(found).toMatchObject({ digest: manifest.digest, mediaType: MEDIA_TYPE.manifest });
      if (isIndex(found.content)) throw new Error('not an index');
      const [descriptor] = found.content.layers;
      if (!descriptor) throw new Error('it has a layer');
      expect((await buffer(web.blob(descriptor))).equals(await buffer(layer.read()))).toBe(true);
      expect(await web.platforms('v1')).toEqual([{ os: 'linux', architecture: 'amd64' }]);
    });

    it('takes a blob in parts', async () => {
      const web = clientWith().repository(`${registry.host}/demo/parts`);
      const content = randomBytes(2_500_000);
      const blob = blobOfBytes(content);
      const heard: number[] = [];
      await web.pushBlob(blob, { chunkSize: 1_000_000, onSent: (bytes) => heard.push(bytes) });
      expect(heard).toEqual([1_000_000, 2_000_000, 2_500_000]);
      expect(await web.bytes(descriptorOf(MEDIA_TYPE.layer, blob))).toEqual(content);
    });

    it('takes over a blob from another repository without sending it', async () => {
      const client = clientWith();
      const { layer } = await pushed(client.repository(`${registry.host}/demo/first`), 'v1');
      const second = client.repository(`${registry.host}/demo/second`);
      const unread = { ...layer, read: () => expect.unreachable('it was sent') };
      await second.pushBlob(unread, { mountFrom: 'demo/first' });
      expect(await second.bytes(descriptorOf(MEDIA_TYPE.layer, layer))).toHaveLength(layer.size);
    });

    it('lists its tags in pages', async () => {
      const many = clientWith().repository(`${registry.host}/demo/many`);
      const { manifest } = await pushed(many, 'v00');
      for (let at = 1; at < 25; at++) {
        await many.pushManifest(`v${String(at).padStart(2, '0')}`, MEDIA_TYPE.manifest, manifest);
      }
      const tags = await collect(many.tags({ pageSize: 10 }));
      // Distribution 2 neither sorts nor pages them.
      expect(tags.toSorted()).toEqual(Array.from({ length: 25 }, (_, at) => `v${String(at).padStart(2, '0')}`));
      expect((await collect(many.tags())).toSorted()).toEqual(tags.toSorted());
    });

    it('says what belongs to an image', async () => {
      const web = clientWith().repository(`${registry.host}/demo/referred`);
      const { manifest } = await pushed(web, 'v1');
      expect(await web.referrers(manifest.digest)).toEqual([]);
      const subject = descriptorOf(MEDIA_TYPE.manifest, manifest);
      const bill = { artifactType: 'application/spdx+json', content: Buffer.from('{"spdxVersion":"SPDX-2.3"}') };
      const other = { artifactType: 'application/vnd.example', content: Buffer.from('other') };
      const digest = await web.attach(subject, bill);
      await web.attach(subject, other);
      expect(await web.attach(subject, bill)).toBe(digest);
      const types = (await web.referrers(manifest.digest)).map(({ artifactType }) => artifactType);
      expect(types.toSorted()).toEqual([bill.artifactType, other.artifactType]);
      const [found] = await web.referrers(manifest.digest, { artifactType: bill.artifactType });
      expect(found?.digest).toBe(digest);
      const { content } = await web.manifest(digest);
      if (isIndex(content) || !content.layers[0]) throw new Error('an artifact has a layer');
      expect(await web.bytes(content.layers[0])).toEqual(bill.content);
    });

    it('forgets what is deleted', async () => {
      const web = clientWith().repository(`${registry.host}/demo/gone`);
      const { manifest } = await pushed(web, 'v1');
      expect(await web.deleteManifest(manifest.digest)).toBe(true);
      expect(await web.digest('v1')).toBeUndefined();
      expect(await web.deleteManifest(manifest.digest)).toBe(false);
    });

    it('says that there is no such image', async () => {
      await expect(clientWith().repository(`${registry.host}/demo/none`).manifest('v1')).rejects.toMatchObject({
        code: 'KUR_REGISTRY_NOT_FOUND',
        registry: registry.host,
        repository: 'demo/none',
      });
    });

    it('refuses a manifest whose parts are missing, and we say so', async () => {
      const web = clientWith().repository(`${registry.host}/demo/half`);
      const missing = descriptorOf(MEDIA_TYPE.config, blobOfBytes(Buffer.from('never sent')));
      const manifest = blobOfJson({ schemaVersion: 2, mediaType: MEDIA_TYPE.manifest, config: missing, layers: [] });
      await expect(web.pushManifest('v1', MEDIA_TYPE.manifest, manifest)).rejects.toThrow(
        /answered 40\d to PUT manifests\/v1 of demo\/half/,
      );
    });
  });

  it('with passwords lets in whom it knows', async () => {
    // `pa:ss`
    const htpasswd = 'me:$2b$04$D7DWxky2EI/9H5iUhVmeJ.vQffQRl./9Be5ydQkXLsnlK6W6dhMue\n';
    await using registry = await RealRegistry.start(program, { htpasswd });
    const name = `${registry.host}/demo/web`;
    const { manifest } = await pushed(clientWith({ credentials: me }).repository(name), 'v1');
    expect(await clientWith({ credentials: me }).repository(name).digest('v1')).toBe(manifest.digest);
    for (const credentials of [undefined, { username: 'me', password: 'no' }]) {
      await expect(clientWith({ credentials }).repository(name).digest('v1')).rejects.toMatchObject({
        code: 'KUR_REGISTRY_DENIED',
      });
    }
  });

  it('with tokens lets everybody do what he may', async () => {
    const { server, tokens } = await tokenServer({ me: password }, { me: ['pull', 'push'], '': ['pull'] });
    await using registry = await RealRegistry.start(program, { tokens });
    const name = `${registry.host}/demo/web`;
    const mine = clientWith({ credentials: me }).repository(name);
    const { manifest } = await pushed(mine, 'v1');
    expect(await mine.digest('v1')).toBe(manifest.digest);
    // One to read, one to write.
    expect(server.asked).toHaveLength(2);
    const stranger = clientWith().repository(name);
    expect(await stranger.digest('v1')).toBe(manifest.digest);
    await expect(pushed(stranger, 'v2')).rejects.toMatchObject({
      code: 'KUR_REGISTRY_DENIED',
      remedy: expect.stringContaining(`Log in to ${registry.host}`),
    });
    const refreshed = clientWith({ credentials: { identityToken: 'refresh-me' } }).repository(name);
    expect((await pushed(refreshed, 'v2')).manifest.digest).toBe(await refreshed.digest('v2'));
    const wrong = clientWith({ credentials: { username: 'me', password: 'no' } }).repository(name);
    await expect(wrong.digest('v1')).rejects.toMatchObject({ code: 'KUR_REGISTRY_DENIED' });
  });

  it('with a certificate of its own is believed only where that was said', async () => {
    const tls = selfSigned();
    await using registry = await RealRegistry.start(program, { tls });
    const { host } = registry;
    const url = `https://${host}`;
    const believing = clientWith({ registries: { [host]: { url, ca: tls.cert } } });
    const { manifest } = await pushed(believing.repository(`${host}/demo/web`), 'v1');
    const careless = clientWith({ registries: { [host]: { url, insecure: true } } });
    expect(await careless.repository(`${host}/demo/web`).digest('v1')).toBe(manifest.digest);
    const others = clientWith({ registries: { [host]: { url }, 'other.example.com': { insecure: true } } });
    await expect(others.repository(`${host}/demo/web`).digest('v1')).rejects.toMatchObject({
      code: 'KUR_REGISTRY_TLS',
      registry: host,
      remedy: expect.stringContaining('`ca`'),
    });
  });
});
