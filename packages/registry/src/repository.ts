/** One repository of a registry: what it has, and what is put there. */
import { Readable } from 'node:stream';
import { type Blob, blobOfBytes, blobOfJson, descriptorOf, digestOf, isDigest, sha256 } from './blob.ts';
import { RegistryError } from './error.ts';
import { checkReference, type RepositoryName } from './image-name.ts';
import { parseJson, readBytes } from './internal/body.ts';
import type { CallOptions, Connection } from './internal/connection.ts';
import { checkedContent, checkedDescriptor, readContent } from './internal/content.ts';
import { listReferrers, listTags, type TagOptions } from './internal/listing.ts';
import { dump, header } from './internal/transport.ts';
import { badContent } from './internal/trouble.ts';
import { type PushBlobOptions, upload } from './internal/upload.ts';
import {
  type Descriptor,
  formatPlatform,
  isIndex,
  MANIFEST_TYPES,
  MEDIA_TYPE,
  manifestFor,
  type OciConfig,
  type OciIndex,
  type OciManifest,
  type Platform,
  platformsOf,
} from './oci.ts';

export type { CallOptions } from './internal/connection.ts';
export type { TagOptions } from './internal/listing.ts';
export type { PushBlobOptions } from './internal/upload.ts';

/** A manifest or an index, as a registry has it. */
export interface Manifest<Content = OciIndex | OciManifest> {
  /** Of the very bytes; checked. */
  readonly digest: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  readonly content: Content;
}

/** Which referrers are wanted. */
export interface ReferrerOptions extends CallOptions {
  /** Only those of this type: `application/spdx+json`. */
  readonly artifactType?: string;
}

/** Something that belongs to an image: its bill of materials, a signature. */
export interface Attachment {
  /** What it is, as a media type: `application/spdx+json`. */
  readonly artifactType: string;
  readonly content: Uint8Array;
}

/** Something in memory, with a limit. */
export interface ReadOptions extends CallOptions {
  /** In bytes; a descriptor that promises more is refused before anything is fetched. 16 MiB unless told. */
  readonly atMost?: number;
}

/** In bytes. The specification asks registries to take as much, and knows none that is larger. */
const LONGEST_MANIFEST = 4 * 1024 * 1024;
const LONGEST_IN_MEMORY = 16 * 1024 * 1024;

/** Made by {@link RegistryClient.repository}. Every method takes an `AbortSignal`. */
export class Repository {
  readonly #connection: Connection;

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get name(): RepositoryName {
    return this.#connection.place;
  }

  /**
   * The digest that a tag stands for just now, by a HEAD request, which costs least; undefined where there is no such tag. Of an image
   * for several platforms it is that of the index.
   */
  async digest(reference: string, { signal }: CallOptions = {}): Promise<string | undefined> {
    checkReference(reference, this.name);
    const answer = await this.#connection.persist(signal, () =>
      this.#connection.ask('HEAD', this.#connection.url(`manifests/${reference}`), {
        expected: [200, 404, 405],
        headers: { accept: MANIFEST_TYPES.join(', ') },
        signal,
      }),
    );
    await dump(answer.body);
    if (answer.status === 404) return undefined;
    // Some know no HEAD.
    if (answer.status === 405) return (await this.#manifestIfThere(reference, signal))?.digest;
    const digest = header(answer.headers, 'docker-content-digest');
    if (isDigest(digest)) {
      if (isDigest(reference) && digest !== reference)
        throw badContent(this.name, `${digest} in the place of ${reference}`);
      return digest;
    }
    // Some give no digest with HEAD.
    return (await this.manifest(reference, { signal })).digest;
  }

  /** What a tag or digest stands for: one image, or an index of several. */
  async manifest(reference: string, { signal }: CallOptions = {}): Promise<Manifest> {
    checkReference(reference, this.name);
    return await this.#connection.persist(signal, async () => {
      const { headers, body } = await this.#connection.ask('GET', this.#connection.url(`manifests/${reference}`), {
        expected: [200],
        headers: { accept: MANIFEST_TYPES.join(', ') },
        signal,
      });
      const what = `the manifest ${reference}`;
      const bytes = await readBytes(body, LONGEST_MANIFEST, this.name, what);
      const promised = isDigest(reference) ? reference : header(headers, 'docker-content-digest');
      if (isDigest(promised) && digestOf(bytes, promised) !== promised) {
        throw badContent(this.name, `something else in the place of ${promised}`);
      }
      const sentAs = (header(headers, 'content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
      const content = checkedContent(parseJson(bytes, this.name, what), this.name, sentAs);
      const mediaType = content.mediaType ?? sentAs;
      return { digest: isDigest(promised) ? promised : sha256(bytes), mediaType, bytes, content };
    });
  }

  /** The one image for a platform; undefined where there is none. Of an index it is the fitting part. */
  async image(
    reference: string,
    platform: Platform,
    options: CallOptions = {},
  ): Promise<Manifest<OciManifest> | undefined> {
    const found = await this.manifest(reference, options);
    const { content } = found;
    if (!isIndex(content)) {
      const fits = manifestFor({ schemaVersion: 2, manifests: [await this.#selfDescribed(found, options)] }, platform);
      return fits ? { ...found, content } : undefined;
    }
    const fit = manifestFor(content, platform);
    if (!fit) return undefined;
    const part = await this.manifest(fit.digest, options);
    // An index of indexes would have no end.
    if (isIndex(part.content)) throw badContent(this.name, `an index in an index (${formatPlatform(platform)})`);
    return { ...part, content: part.content };
  }

  /** Which platforms there is an image for. */
  async platforms(reference: string, options: CallOptions = {}): Promise<Platform[]> {
    const found = await this.manifest(reference, options);
    if (isIndex(found.content)) return platformsOf(found.content);
    return platformsOf({ schemaVersion: 2, manifests: [await this.#selfDescribed(found, options)] });
  }

  /** An image's configuration. */
  async config({ config }: OciManifest, options: CallOptions = {}): Promise<OciConfig> {
    const bytes = await this.bytes(config, options);
    return parseJson(bytes, this.name, `the configuration ${config.digest}`) as OciConfig;
  }

  /** A blob that is small, checked before it is given out. */
  async bytes(descriptor: Descriptor, { signal, atMost = LONGEST_IN_MEMORY }: ReadOptions = {}): Promise<Uint8Array> {
    const { size, digest } = checkedDescriptor(descriptor, this.name);
    if (size > atMost)
      throw badContent(this.name, `a descriptor of ${size} bytes (${digest}) where ${atMost} are allowed`);
    const chunks: Uint8Array[] = [];
    for await (const chunk of readContent(this.#connection, descriptor, signal)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  /**
   * A blob as it comes. It is as long as the descriptor says and has its digest, or the stream ends with an error instead of its
   * end: what was read before that must not be used. A connection that breaks is made again, and goes on where it was.
   */
  blob(descriptor: Descriptor, { signal }: CallOptions = {}): Readable {
    checkedDescriptor(descriptor, this.name);
    return Readable.from(readContent(this.#connection, descriptor, signal), { objectMode: false });
  }

  /** How long a blob is that is known by its digest alone, in bytes; undefined where there is none. */
  async blobSize(digest: string, { signal }: CallOptions = {}): Promise<number | undefined> {
    if (!isDigest(digest)) throw badContent(this.name, `${JSON.stringify(digest).slice(0, 200)} as a digest`);
    const ask = (method: 'HEAD' | 'GET', expected: readonly number[]) =>
      this.#connection.persist(signal, () =>
        this.#connection.ask(method, this.#connection.url(`blobs/${digest}`), { expected, signal }),
      );
    const told = await ask('HEAD', [200, 404, 405]);
    await dump(told.body);
    const answer = told.status === 405 ? await ask('GET', [200, 404]) : told;
    // The content of a GET is not wanted.
    answer.body.destroy();
    if (answer.status === 404) return undefined;
    const size = Number(header(answer.headers, 'content-length') ?? Number.NaN);
    if (!Number.isSafeInteger(size) || size < 0) throw badContent(this.name, `no length for ${digest}`);
    return size;
  }

  /** Every tag, page by page as it is read, in the registry's own order: some sort them, some don't. */
  tags(options: TagOptions = {}): AsyncGenerator<string, void, undefined> {
    return listTags(this.#connection, options);
  }

  /** What belongs to an image: signatures, bills of materials. Where the registry keeps no list itself, the tag that stands for it. */
  async referrers(digest: string, { signal, artifactType }: ReferrerOptions = {}): Promise<Descriptor[]> {
    const listed = await listReferrers(this.#connection, digest, artifactType, signal);
    const found = listed ?? (await this.#referrersByTag(digest, signal));
    // A registry may leave it to us.
    return found.filter((each) => artifactType === undefined || each.artifactType === artifactType);
  }

  /** Sends a blob, unless the registry has it. */
  async pushBlob(blob: Blob, options: PushBlobOptions = {}): Promise<void> {
    await this.#connection.persist(options.signal, () => upload(this.#connection, blob, options));
  }

  /** Puts a manifest or an index under a tag, or under its digest. What it points at must be there. */
  async pushManifest(
    reference: string,
    mediaType: string,
    manifest: Blob,
    { signal }: CallOptions = {},
  ): Promise<{ readonly digest: string; readonly isListed: boolean }> {
    checkReference(reference, this.name);
    return await this.#connection.persist(signal, async () => {
      const headers = { 'content-type': mediaType, 'content-length': String(manifest.size) };
      const question = { expected: [201], headers, body: () => manifest.read(), actions: 'pull,push', signal } as const;
      const answer = await this.#connection.ask('PUT', this.#connection.url(`manifests/${reference}`), question);
      await dump(answer.body);
      const digest = header(answer.headers, 'docker-content-digest') ?? manifest.digest;
      if (digest !== manifest.digest)
        throw badContent(this.name, `${digest} in the place of what was sent, ${manifest.digest}`);
      // Such a registry lists by itself what refers to an image.
      return { digest, isListed: header(answer.headers, 'oci-subject') !== undefined };
    });
  }

  /**
   * Puts something beside an image: an artifact whose manifest names the image as its subject (OCI 1.1). Gives its digest. Twice is as
   * good as once. Two who do this at once in a registry that keeps no list itself may lose one of the two in the list.
   */
  async attach(
    subject: Descriptor,
    { artifactType, content }: Attachment,
    { signal }: CallOptions = {},
  ): Promise<string> {
    const blob = blobOfBytes(content);
    for (const each of [EMPTY, blob]) await this.pushBlob(each, { signal });
    const { mediaType, digest, size } = subject;
    const manifest = blobOfJson({
      schemaVersion: 2,
      mediaType: MEDIA_TYPE.manifest,
      artifactType,
      config: descriptorOf(MEDIA_TYPE.empty, EMPTY),
      layers: [descriptorOf(artifactType, blob)],
      subject: { mediaType, digest, size },
    } satisfies OciManifest);
    const { isListed } = await this.pushManifest(manifest.digest, MEDIA_TYPE.manifest, manifest, { signal });
    const descriptor = { ...descriptorOf(MEDIA_TYPE.manifest, manifest), artifactType };
    if (!isListed) await this.#connection.persist(signal, () => this.#list(digest, descriptor, signal));
    return manifest.digest;
  }

  /** Takes a manifest away, by tag or digest; false where there was none. Many registries don't allow it. */
  async deleteManifest(reference: string, { signal }: CallOptions = {}): Promise<boolean> {
    checkReference(reference, this.name);
    const question = {
      expected: [202, 404],
      actions: 'pull,push',
      scopes: [`repository:${this.name.repository}:delete`],
      signal,
    } as const;
    const answer = await this.#connection.ask('DELETE', this.#connection.url(`manifests/${reference}`), question);
    await dump(answer.body);
    return answer.status === 202;
  }

  async #referrersByTag(digest: string, signal: AbortSignal | undefined): Promise<Descriptor[]> {
    const index = await this.#manifestIfThere(fallbackTag(digest), signal);
    return index && isIndex(index.content) ? index.content.manifests : [];
  }

  async #list(subject: string, descriptor: Descriptor, signal: AbortSignal | undefined): Promise<void> {
    const manifests = await this.#referrersByTag(subject, signal);
    if (manifests.some(({ digest }) => digest === descriptor.digest)) return;
    const index = {
      schemaVersion: 2,
      mediaType: MEDIA_TYPE.index,
      manifests: [...manifests, descriptor],
    } satisfies OciIndex;
    await this.pushManifest(fallbackTag(subject), MEDIA_TYPE.index, blobOfJson(index), { signal });
  }

  async #manifestIfThere(reference: string, signal: AbortSignal | undefined): Promise<Manifest | undefined> {
    try {
      return await this.manifest(reference, { signal });
    } catch (error) {
      if (error instanceof RegistryError && error.code === 'KUR_REGISTRY_NOT_FOUND') return undefined;
      throw error;
    }
  }

  /** An image that is alone says its platform in its configuration. */
  async #selfDescribed({ digest, mediaType, bytes, content }: Manifest, options: CallOptions): Promise<Descriptor> {
    const descriptor = { mediaType, digest, size: bytes.byteLength };
    if (isIndex(content)) return descriptor;
    const { os, architecture, variant } = await this.config(content, options);
    return { ...descriptor, platform: { os, architecture, ...(variant === undefined ? {} : { variant }) } };
  }
}

const EMPTY = blobOfBytes(Buffer.from('{}'));

/** The tag under which a registry that keeps no list has what belongs to an image. */
function fallbackTag(digest: string): string {
  // By the specification no longer than a tag may be.
  return digest.replace(':', '-').slice(0, 128);
}
