import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Asked, collect, type Scripted, scriptedServer } from '../test/support/scripted-server.ts';
import { blobOfBytes, sha256 } from './blob.ts';
import { MEDIA_TYPE } from './oci.ts';
import { createRegistryClient, type RegistryClientOptions } from './registry-client.ts';

type Script = Scripted | ((asked: Asked) => Scripted);

/** A repository `demo/web` of a registry that has these answers, by what is below the repository; 404 for all else. */
async function repositoryWith(script: Readonly<Record<string, Scripted>>, options: RegistryClientOptions = {}) {
  const server = await scriptedServer(({ path }) => script[path.replace('/v2/demo/web/', '')] ?? { status: 404 });
  const client = createRegistryClient({ timeout: 5_000, ...options });
  onTestFinished(() => client.close());
  return { server, client, web: client.repository(`${server.host}/demo/web`) };
}

const json = (value: unknown) => ({ body: JSON.stringify(value) });
const descriptor = (bytes: Uint8Array | string) => ({
  mediaType: 'application/octet-stream',
  digest: sha256(bytes),
  size: Buffer.byteLength(bytes),
});
const config = JSON.stringify({ os: 'linux', architecture: 'arm64', rootfs: { type: 'layers', diff_ids: [] } });
const manifest = JSON.stringify({
  schemaVersion: 2,
  mediaType: MEDIA_TYPE.manifest,
  config: descriptor(config),
  layers: [],
});
/** It tries as often as others, and pauses for less. */
const hasty = { patience: 10 };
const bad = { code: 'KUR_REGISTRY_BAD_CONTENT', repository: 'demo/web', remedy: expect.any(String) };

describe('the digest of a tag', () => {
  it('is asked for with HEAD alone', async () => {
    const headers = { 'docker-content-digest': sha256('x') };
    const { web, server } = await repositoryWith({ 'manifests/v1': { headers } });
    expect(await web.digest('v1')).toBe(sha256('x'));
    expect(server.lines()).toEqual(['HEAD /v2/demo/web/manifests/v1']);
    expect(server.asked[0]?.headers.accept).toContain(MEDIA_TYPE.index);
  });

  it('is made of the content where a registry does not tell it', async () => {
    const { web } = await repositoryWith({ 'manifests/v1': { body: manifest } });
    expect(await web.digest('v1')).toBe(sha256(manifest));
  });

  it('is made of the content where a registry knows no HEAD', async () => {
    const { web } = await repositoryWith({
      'manifests/v1': (response, { method }) =>
        method === 'HEAD' ? void response.writeHead(405).end() : void response.end(manifest),
      'manifests/v2': (response, { method }) => void response.writeHead(method === 'HEAD' ? 405 : 404).end(),
    });
    expect(await web.digest('v1')).toBe(sha256(manifest));
    expect(await web.digest('v2')).toBeUndefined();
  });

  it('is undefined where there is no such tag', async () => {
    const { web } = await repositoryWith({});
    expect(await web.digest('v1')).toBeUndefined();
  });

  it('is never that of something else', async () => {
    const headers = { 'docker-content-digest': sha256('other') };
    const { web } = await repositoryWith({ [`manifests/${sha256('x')}`]: { headers } });
    await expect(web.digest(sha256('x'))).rejects.toMatchObject(bad);
  });

  it.each(['', '../../v2/secret', 'a/b', 'v1?x', '-v1', `${sha256('x')}0`])(
    'is not asked for with %j',
    async (reference) => {
      const { web, server } = await repositoryWith({});
      await expect(web.digest(reference)).rejects.toMatchObject({ code: 'KUR_REGISTRY_NAME' });
      expect(server.asked).toEqual([]);
    },
  );
});

describe('a manifest', () => {
  it('comes with its digest, type and very bytes', async () => {
    const { web } = await repositoryWith({ 'manifests/v1': { body: manifest } });
    const found = await web.manifest('v1');
    expect(found).toMatchObject({ digest: sha256(manifest), mediaType: MEDIA_TYPE.manifest });
    expect(Buffer.from(found.bytes).toString()).toBe(manifest);
  });

  it.each<[string, Scripted]>([
    ['another digest than the registry says', { body: manifest, headers: { 'docker-content-digest': sha256('x') } }],
    ['no JSON', { body: '<html>' }],
    ['a list', { body: '[]' }],
    ['neither layers nor manifests', json({ schemaVersion: 2 })],
    ['a path as a digest', json({ config: descriptor('x'), layers: [{ ...descriptor('x'), digest: '../../etc' }] })],
    ['a negative size', json({ manifests: [{ ...descriptor('x'), size: -1 }] })],
    ['null as a part', json({ manifests: [null] })],
    ['both manifests and layers', json({ manifests: [descriptor('x')], config: descriptor('x'), layers: [] })],
    ['both manifests and a configuration', json({ manifests: [descriptor('x')], config: descriptor('x') })],
    [
      'another type than it is sent as',
      { body: manifest, headers: { 'content-type': `${MEDIA_TYPE.dockerManifest}; charset=utf-8` } },
    ],
    ['the type of an index', json({ mediaType: MEDIA_TYPE.index, config: descriptor('x'), layers: [] })],
    [
      'manifests that are sent as one',
      { ...json({ manifests: [] }), headers: { 'content-type': MEDIA_TYPE.manifest } },
    ],
    ['no end', (response) => void endless(response)],
  ])('is refused with %s', async (_, answer) => {
    const { web } = await repositoryWith({ 'manifests/v1': answer });
    await expect(web.manifest('v1')).rejects.toMatchObject(bad);
  });

  it.each(['application/json', 'text/plain; charset=utf-8', MEDIA_TYPE.manifest])('may be sent as %s', async (type) => {
    const { web } = await repositoryWith({ 'manifests/v1': { body: manifest, headers: { 'content-type': type } } });
    expect(await web.manifest('v1')).toMatchObject({ mediaType: MEDIA_TYPE.manifest });
  });

  it('that was asked for by digest has it', async () => {
    const { web } = await repositoryWith({ [`manifests/${sha256('x')}`]: { body: manifest } });
    await expect(web.manifest(sha256('x'))).rejects.toMatchObject(bad);
  });

  it('is chosen from an index by platform', async () => {
    const platform = { os: 'linux', architecture: 'arm64' };
    const attestation = { ...descriptor('a'), platform: { os: 'unknown', architecture: 'unknown' } };
    const index = { schemaVersion: 2, manifests: [attestation, { ...descriptor(manifest), platform }] };
    const { web } = await repositoryWith({
      'manifests/v1': json(index),
      [`manifests/${sha256(manifest)}`]: { body: manifest },
      [`blobs/${sha256(config)}`]: { body: config },
    });
    expect(await web.platforms('v1')).toEqual([platform]);
    expect(await web.image('v1', platform)).toMatchObject({ digest: sha256(manifest) });
    expect(await web.image('v1', { os: 'linux', architecture: 'amd64' })).toBeUndefined();
    expect(await web.platforms(sha256(manifest))).toEqual([platform]);
    expect(await web.image(sha256(manifest), { os: 'linux', architecture: 'amd64' })).toBeUndefined();
  });

  it('is not looked for in an index of indexes', async () => {
    const platform = { os: 'linux', architecture: 'arm64' };
    const inner = JSON.stringify({ manifests: [] });
    const { web } = await repositoryWith({
      'manifests/v1': json({ manifests: [{ ...descriptor(inner), platform }] }),
      [`manifests/${sha256(inner)}`]: { body: inner },
    });
    await expect(web.image('v1', platform)).rejects.toMatchObject(bad);
  });
});

function endless(response: {
  writeHead(status: number): unknown;
  write(chunk: Buffer): boolean;
  on(event: string, heard: () => void): unknown;
  destroyed: boolean;
}) {
  response.writeHead(200);
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}

describe('a blob', () => {
  const content = randomBytes(300_000);
  const blob = descriptor(content);
  const path = `blobs/${blob.digest}`;

  it('comes as a stream', async () => {
    const { web } = await repositoryWith({ [path]: { body: content } });
    expect((await buffer(web.blob(blob))).equals(content)).toBe(true);
  });

  it('has a length, and is pushed, also where the registry knows no HEAD', async () => {
    const { web, server } = await repositoryWith({
      [path]: (response, { method }) =>
        method === 'HEAD' ? void response.writeHead(405).end() : void response.end(content),
    });
    expect(await web.blobSize(blob.digest)).toBe(content.byteLength);
    await expect(web.pushBlob(blobOfBytes(content))).rejects.toMatchObject({ code: 'KUR_REGISTRY_NOT_FOUND' });
    expect(server.lines().at(-1)).toBe('POST /v2/demo/web/blobs/uploads/');
  });

  it('that is empty is empty', async () => {
    const none = descriptor('');
    const { web } = await repositoryWith({ [`blobs/${none.digest}`]: { body: '' } });
    expect((await buffer(web.blob(none))).byteLength).toBe(0);
  });

  it.each<[string, Scripted]>([
    ['has another digest', { body: Buffer.alloc(content.byteLength) }],
    ['is longer', { body: Buffer.concat([content, Buffer.from('x')]) }],
    ['is shorter', { body: content.subarray(1) }],
    ['has no end', (response) => void endless(response)],
  ])('that %s ends in an error', async (_, answer) => {
    const { web } = await repositoryWith({ [path]: answer });
    await expect(buffer(web.blob(blob))).rejects.toMatchObject(bad);
    await expect(web.bytes(blob)).rejects.toMatchObject(bad);
  });

  it.each([
    ['from a registry that knows ranges', true],
    ['from one that always begins at the start', false],
  ])('goes on where the connection broke, %s', async (_, knowsRanges) => {
    const cuts = [100_000, 250_000];
    const asked: (string | undefined)[] = [];
    const { web } = await repositoryWith({
      [path]: (response, { headers }) => {
        asked.push(headers.range);
        const start = knowsRanges ? Number(/\d+/.exec(headers.range ?? '')?.[0] ?? 0) : 0;
        const cut = cuts.shift();
        const range =
          start > 0 ? { 'content-range': `bytes ${start}-${content.byteLength - 1}/${content.byteLength}` } : {};
        response.writeHead(start > 0 ? 206 : 200, { 'content-length': content.byteLength - start, ...range });
        if (cut === undefined) return void response.end(content.subarray(start));
        response.write(content.subarray(start, cut), () => response.destroy());
      },
    });
    expect((await buffer(web.blob(blob))).equals(content)).toBe(true);
    expect(asked).toHaveLength(3);
    expect(asked[0]).toBeUndefined();
    expect(asked[2]).toMatch(/^bytes=[1-9]\d*-$/);
  });

  it('is not tried for ever where nothing comes', async () => {
    const { web, server } = await repositoryWith({ [path]: (response) => void response.destroy() }, hasty);
    await expect(web.bytes(blob)).rejects.toMatchObject({ code: 'KUR_REGISTRY_UNREACHABLE' });
    expect(server.asked.length).toBeLessThanOrEqual(16);
  });

  it('that stands still is given up', async () => {
    const still: Scripted = (response) => {
      response.writeHead(200, { 'content-length': content.byteLength });
      response.write(content.subarray(0, 10));
    };
    const { web } = await repositoryWith({ [path]: still }, { ...hasty, timeout: 100 });
    await expect(web.bytes(blob)).rejects.toMatchObject({ code: 'KUR_REGISTRY_TIMEOUT' });
  });

  it('is not fetched into memory where its descriptor promises too much', async () => {
    const { web, server } = await repositoryWith({ [path]: { body: content } });
    await expect(web.bytes(blob, { atMost: 1000 })).rejects.toMatchObject(bad);
    expect(server.asked).toEqual([]);
  });

  it('is followed to where it is kept, which is not told who we are', async () => {
    const store = await scriptedServer(() => ({ body: content }));
    const { web, server } = await repositoryWith(
      { [path]: { status: 307, headers: { location: `${store.url}/bucket/x?signature=s3cret` } } },
      { credentials: { bearerToken: 'mine' } },
    );
    const guarded = await scriptedServer(({ headers }) =>
      headers.authorization
        ? { status: 307, headers: { location: `${store.url}/bucket/x?signature=s3cret` } }
        : { status: 401, headers: { 'www-authenticate': 'Bearer realm="http://127.0.0.1/none"' } },
    );
    const client = createRegistryClient({ credentials: { bearerToken: 'mine' } });
    onTestFinished(() => client.close());
    expect(await web.bytes(blob)).toEqual(content);
    expect(await client.repository(`${guarded.host}/demo/web`).bytes(blob)).toEqual(content);
    expect(guarded.asked[1]?.headers.authorization).toBe('Bearer mine');
    expect(store.lines()).toEqual(['GET /bucket/x?signature=s3cret', 'GET /bucket/x?signature=s3cret']);
    for (const { headers } of store.asked) expect(headers.authorization).toBeUndefined();
    expect(server.asked).toHaveLength(1);
  });

  it('is not followed round in circles', async () => {
    const { web, server } = await repositoryWith({
      [path]: { status: 307, headers: { location: `/v2/demo/web/${path}` } },
    });
    await expect(web.bytes(blob)).rejects.toMatchObject(bad);
    expect(server.asked).toHaveLength(6);
  });
});

describe('tags', () => {
  const all = Array.from({ length: 2_500 }, (_, at) => `v${String(at).padStart(5, '0')}`);

  /** As distribution does it. @param most What it takes as `n` at most. */
  function paged(most = 1000): Script {
    return ({ path }: Asked) => {
      const { searchParams } = new URL(path, 'http://x');
      const size = Number(searchParams.get('n') ?? 100);
      if (size > most) return { status: 400, body: '{"errors":[{"code":"PAGINATION_NUMBER_INVALID"}]}' };
      const start = all.findIndex((tag) => tag > (searchParams.get('last') ?? ''));
      const tags = start < 0 ? [] : all.slice(start, start + size);
      const isLast = tags.at(-1) === all.at(-1);
      const link = `</v2/demo/web/tags/list?last=${tags.at(-1)}&n=${size}>; rel="next"`;
      return { body: JSON.stringify({ name: 'demo/web', tags }), headers: isLast ? {} : { link } };
    };
  }

  async function repositoryOf(script: (asked: Asked) => Scripted) {
    const server = await scriptedServer(script);
    const client = createRegistryClient();
    onTestFinished(() => client.close());
    return { server, web: client.repository(`${server.host}/demo/web`) };
  }

  it('come page by page, each once', async () => {
    const { web, server } = await repositoryOf(paged() as (asked: Asked) => Scripted);
    expect(await collect(web.tags())).toEqual(all);
    expect(server.asked).toHaveLength(3);
  });

  it('come in smaller pages where the registry wants that', async () => {
    const { web, server } = await repositoryOf(paged(300) as (asked: Asked) => Scripted);
    expect(await collect(web.tags())).toEqual(all);
    expect(server.asked).toHaveLength(2 + 10);
  });

  it('are asked for no further than they are read', async () => {
    const { web, server } = await repositoryOf(paged() as (asked: Asked) => Scripted);
    for await (const tag of web.tags()) if (tag === 'v00010') break;
    expect(server.asked).toHaveLength(1);
  });

  it('are an error rather than half a list', async () => {
    const { web } = await repositoryOf(paged() as (asked: Asked) => Scripted);
    await expect(collect(web.tags({ atMost: 2_499 }))).rejects.toThrow('has more than 2499 tags');
    expect(await collect(web.tags({ atMost: 2_500 }))).toHaveLength(2_500);
  });

  it('of nothing are none', async () => {
    const { web } = await repositoryWith({ 'tags/list?n=1000': json({ name: 'demo/web', tags: null }) });
    expect(await collect(web.tags())).toEqual([]);
  });

  it('do not go round in circles', async () => {
    const link = '</v2/demo/web/tags/list?n=1000&last=b>; rel="next"';
    const { web, server } = await repositoryOf(() => ({ body: '{"tags":["a","b"]}', headers: { link } }));
    await expect(collect(web.tags())).rejects.toMatchObject(bad);
    expect(server.asked).toHaveLength(2);
  });

  it('are not asked for at another host', async () => {
    const other = await scriptedServer(() => ({ body: '{"tags":["c"]}' }));
    const { web } = await repositoryOf(() => ({
      body: '{"tags":["a"]}',
      headers: { link: `<${other.url}/v2/demo/web/tags/list>; rel="next"` },
    }));
    await expect(collect(web.tags())).rejects.toMatchObject(bad);
    expect(other.asked).toEqual([]);
  });

  it.each(['{"tags":"v1"}', '{"tags":[1]}', 'no'])('are not %s', async (body) => {
    const { web } = await repositoryOf(() => ({ body }));
    await expect(collect(web.tags())).rejects.toMatchObject(bad);
  });
});

describe('what belongs to an image', () => {
  const subject = sha256('image');
  const bill = { ...descriptor('bill'), artifactType: 'application/spdx+json' };
  const signature = { ...descriptor('signature'), artifactType: 'application/vnd.dev.cosign.artifact.sig.v1+json' };
  const index = json({ schemaVersion: 2, mediaType: MEDIA_TYPE.index, manifests: [bill, signature] });

  it('is listed by a registry that keeps a list', async () => {
    const { web } = await repositoryWith({ [`referrers/${subject}`]: index });
    expect(await web.referrers(subject)).toEqual([bill, signature]);
  });

  it('is chosen by type, also where the registry leaves that to us', async () => {
    const { web } = await repositoryWith({ [`referrers/${subject}?artifactType=application%2Fspdx%2Bjson`]: index });
    expect(await web.referrers(subject, { artifactType: bill.artifactType })).toEqual([bill]);
  });

  it('comes in pages', async () => {
    const next = { link: `</v2/demo/web/referrers/${subject}?page=2>; rel="next"` };
    const { web } = await repositoryWith({
      [`referrers/${subject}`]: { ...json({ manifests: [bill] }), headers: next },
      [`referrers/${subject}?page=2`]: json({ manifests: [signature] }),
    });
    expect(await web.referrers(subject)).toEqual([bill, signature]);
  });

  it('is found by its tag where the registry keeps no list', async () => {
    const { web } = await repositoryWith({ [`manifests/${subject.replace(':', '-')}`]: index });
    expect(await web.referrers(subject)).toEqual([bill, signature]);
  });

  it('is nothing where there is nothing', async () => {
    const { web } = await repositoryWith({});
    expect(await web.referrers(subject)).toEqual([]);
  });
});

describe('an upload', () => {
  it('goes on in parts with what the registry does not have', async () => {
    const content = randomBytes(250_000);
    const blob = blobOfBytes(content);
    const ranges: string[] = [];
    let received = Buffer.alloc(0);
    const location = { location: '/v2/demo/web/blobs/uploads/1?state=x' };
    const patch: Scripted = (response, { headers }) => {
      ranges.push(String(headers['content-range']));
      const [start = 0, end = 0] = (headers['content-range'] ?? '').split('-').map(Number);
      // Of the second part only a piece arrives, and no answer.
      const isCut = ranges.length === 2;
      received = Buffer.concat([received, content.subarray(start, isCut ? start + 40_000 : end + 1)]);
      if (isCut) response.destroy();
      else response.writeHead(202, location).end();
    };
    const answers: Record<string, (asked: Asked) => Scripted> = {
      HEAD: () => ({ status: 404 }),
      POST: () => ({ status: 202, headers: location }),
      GET: () => ({ status: 204, headers: { ...location, range: `0-${received.byteLength - 1}` } }),
      PUT: ({ path }) => ({ status: path.includes(encodeURIComponent(blob.digest)) ? 201 : 400 }),
      PATCH: () => patch,
    };
    const server = await scriptedServer((asked) => answers[asked.method]?.(asked) ?? { status: 405 });
    const client = createRegistryClient();
    onTestFinished(() => client.close());
    await client.repository(`${server.host}/demo/web`).pushBlob(blob, { chunkSize: 100_000 });
    expect(received.equals(content)).toBe(true);
    expect(ranges).toEqual(['0-99999', '100000-199999', '140000-199999', '200000-249999']);
  });

  it('sends nothing where another repository has it', async () => {
    const blob = blobOfBytes(Buffer.from('x'));
    const server = await scriptedServer(({ method }) => ({ status: method === 'HEAD' ? 404 : 201 }));
    const client = createRegistryClient();
    onTestFinished(() => client.close());
    await client.repository(`${server.host}/demo/web`).pushBlob(blob, { mountFrom: 'demo/base' });
    expect(server.lines()[1]).toBe(
      `POST /v2/demo/web/blobs/uploads/?mount=${encodeURIComponent(blob.digest)}&from=demo%2Fbase`,
    );
    expect(server.asked).toHaveLength(2);
  });
});
