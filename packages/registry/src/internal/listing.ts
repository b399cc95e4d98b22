/** Lists of a repository that come in pages: tags, and what belongs to an image. */
import { isDigest } from '../blob.ts';
import { RegistryError } from '../error.ts';
import { checkReference, type RepositoryName } from '../image-name.ts';
import { type Descriptor, MEDIA_TYPE, type OciIndex } from '../oci.ts';
import { parseJson, readBytes } from './body.ts';
import type { CallOptions, Connection } from './connection.ts';
import { checkedContent } from './content.ts';
import { dump, headerValues } from './transport.ts';
import { badContent } from './trouble.ts';

/** How tags are listed. */
export interface TagOptions extends CallOptions {
  /** How many are asked for at once; 1000 unless told. A registry that refuses that is asked for fewer. */
  readonly pageSize?: number;
  /** More than these are an error: half a list would look like a whole one. 100,000 unless told. */
  readonly atMost?: number;
}

const LONGEST_PAGE = 4 * 1024 * 1024;
const PAGE = 1000;
const MOST_TAGS = 100_000;
const MOST_REFERRERS = 10_000;
const MOST_PAGES = 10_000;
const LISTS = `${MEDIA_TYPE.index}, application/json`;

interface Page {
  readonly status: number;
  readonly content: object;
  readonly next: URL | undefined;
}

export async function* listTags(connection: Connection, options: TagOptions): AsyncGenerator<string, void, undefined> {
  const { place } = connection;
  const { atMost = MOST_TAGS } = options;
  const seen = new Set<string>();
  for await (const tags of tagPages(connection, options)) {
    const before = seen.size;
    for (const tag of tags) {
      if (seen.has(tag)) continue;
      if (seen.size >= atMost) throw tooMany(place, atMost);
      seen.add(tag);
      yield tag;
    }
    if (seen.size === before && tags.length > 0) throw inCircles(place);
  }
}

async function* tagPages(connection: Connection, { signal, pageSize = PAGE }: TagOptions): AsyncGenerator<string[]> {
  let size = pageSize;
  let page = await getPage(connection, tagsUrl(connection, size), 'the list of tags', signal, [400]);
  while (page.status === 400) {
    // At one a page it may say what it really has against it.
    size = Math.floor(size / 2);
    const expected = size > 1 ? [400] : [];
    page = await getPage(connection, tagsUrl(connection, Math.max(size, 1)), 'the list of tags', signal, expected);
  }
  yield tagsIn(page.content, connection.place);
  for (let pages = 1; page.next; pages++) {
    if (pages >= MOST_PAGES) throw inCircles(connection.place);
    page = await getPage(connection, page.next, 'the list of tags', signal);
    yield tagsIn(page.content, connection.place);
  }
}

/** What the registry itself lists as belonging to a digest; undefined where it keeps no such list. */
export async function listReferrers(
  connection: Connection,
  digest: string,
  artifactType: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Descriptor[] | undefined> {
  const { place } = connection;
  if (!isDigest(digest)) checkReference(`${digest} `, place);
  const url = connection.url(`referrers/${digest}`);
  if (artifactType !== undefined) url.searchParams.set('artifactType', artifactType);
  let page = await getPage(connection, url, 'the list of referrers', signal, [400, 404, 405]);
  // Some answer this, as everything that they don't know, with a page for people.
  if (page.status !== 200 || !('manifests' in page.content)) return undefined;
  const found = [...referrersIn(page.content, place)];
  for (let pages = 1; page.next; pages++) {
    page = await getPage(connection, page.next, 'the list of referrers', signal);
    found.push(...referrersIn(page.content, place));
    if (found.length > MOST_REFERRERS || pages >= MOST_PAGES)
      throw badContent(place, `more than ${MOST_REFERRERS} referrers`);
  }
  return found;
}

async function getPage(
  connection: Connection,
  url: URL,
  what: string,
  signal: AbortSignal | undefined,
  alsoExpected: readonly number[] = [],
): Promise<Page> {
  return await connection.persist(signal, async () => {
    const expected = [200, ...alsoExpected];
    const { status, headers, body } = await connection.ask('GET', url, {
      expected,
      headers: { accept: LISTS },
      signal,
    });
    if (status !== 200) {
      await dump(body);
      return { status, content: {}, next: undefined };
    }
    const bytes = await readBytes(body, LONGEST_PAGE, connection.place, what);
    const content = parseJson(bytes, connection.place, what);
    const next = nextPage(headerValues(headers, 'link'), url);
    // To stop here would make half a list a whole one.
    if (next && next.pathname !== url.pathname) throw badContent(connection.place, `${what}, which goes on elsewhere`);
    return { status, content, next };
  });
}

function tagsUrl(connection: Connection, size: number): URL {
  const url = connection.url('tags/list');
  url.searchParams.set('n', String(size));
  return url;
}

function tagsIn(content: object, place: RepositoryName): string[] {
  const { tags } = content as { tags?: unknown };
  // A repository without tags has null there, or nothing.
  if (tags === null || tags === undefined) return [];
  if (Array.isArray(tags) && tags.every((tag) => typeof tag === 'string')) return tags;
  throw badContent(place, 'something else as its list of tags');
}

function referrersIn(content: object, place: RepositoryName): Descriptor[] {
  return (checkedContent(content, place) as OciIndex).manifests;
}

function inCircles(place: RepositoryName): RegistryError {
  return badContent(place, 'a list of tags that goes round in circles');
}

function tooMany({ host, repository }: RepositoryName, atMost: number): RegistryError {
  return new RegistryError('KUR_REGISTRY_BAD_CONTENT', `${host}/${repository} has more than ${atMost} tags.`, {
    remedy: 'Give a larger `atMost`, or read only as many as are needed.',
    registry: host,
    repository,
  });
}

/**
 * Where the next page is; undefined on the last one. Always at the host that was asked: a list does not go on elsewhere, and behind a
 * proxy some registries write a name and scheme that only they know.
 */
export function nextPage(headers: readonly string[], current: URL): URL | undefined {
  for (const header of headers) {
    for (const [, target, parameters = ''] of header.matchAll(/<([^<>]*)>([^,<]*)/g)) {
      if (!/;\s*rel\s*=\s*"?next"?\s*(;|$)/i.test(parameters)) continue;
      const { pathname = '', search = '' } = URL.parse(target ?? '', current.href) ?? {};
      return new URL(`${pathname}${search}`, current.origin);
    }
  }
  return undefined;
}
