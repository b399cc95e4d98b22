/**
 * What registries have, as it was seen: one look a repository, log-in and interval, however many ask. What went wrong is remembered as
 * well, or each question would be another one to a registry that has just refused.
 */
import {
  isIndex,
  type OciManifest,
  type RegistryClient,
  RegistryError,
  type Repository,
  type RepositoryName,
} from '@kurator/registry';
import type { LogIns } from './log-ins.ts';

/** How long all of one question may take, in milliseconds. */
const LONGEST = 40_000;
/** What may pass is asked again after this at the latest. */
const RETRY = 60_000;
/** The longest interval, and an hour: what is older is nobody's any more. */
const FORGOTTEN = 25 * 3_600_000;
/** Each costs two questions, once. */
const MOST_BUILDS = 200;

/** Of one operator. */
export class Looks {
  readonly #client: RegistryClient;
  readonly #views = new Map<string, View>();
  readonly #builds = new Map<string, Map<string, number>>();

  constructor(client: RegistryClient) {
    this.#client = client;
  }

  /** What is known of a repository, no older than that; asked for only as far as somebody wants to know. */
  view(place: RepositoryName, logIns: LogIns, interval: number, now: number): View {
    const key = `${place.host}/${place.repository} ${logIns.fingerprint}`;
    const known = this.#views.get(key);
    if (known && now < known.validUntil(interval)) return known;
    for (const [other, { at }] of this.#views) if (now - at > FORGOTTEN) this.#forget(other);
    const builds = this.#builds.get(key) ?? new Map<string, number>();
    this.#builds.set(key, builds);
    const view = new View(this.#client.as(logIns.source).repository(place), now, builds);
    this.#views.set(key, view);
    return view;
  }

  #forget(key: string): void {
    this.#views.delete(key);
    this.#builds.delete(key);
  }
}

/** One look. */
export class View {
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly #repository: Repository;
  readonly #digests = new Map<string, Promise<string | undefined>>();
  readonly #builds: Map<string, number>;
  #tags: Promise<readonly string[]> | undefined;
  #failure: unknown;

  constructor(repository: Repository, at: number, builds: Map<string, number>) {
    this.#repository = repository;
    this.at = at;
    this.#builds = builds;
  }

  /** When it is to be looked again. */
  validUntil(interval: number): number {
    if (this.#failure === undefined) return this.at + interval;
    const { code, retryAt } = this.#failure instanceof RegistryError ? this.#failure : {};
    if (retryAt) return Math.max(this.at + interval, retryAt.getTime());
    // Whoever may not will not be let in for asking more often.
    return this.at + (code === 'KUR_REGISTRY_DENIED' ? interval : Math.min(interval, RETRY));
  }

  async tags(): Promise<readonly string[]> {
    this.#tags ??= this.#heard(Array.fromAsync(this.#repository.tags({ signal: AbortSignal.timeout(LONGEST) })));
    return await this.#tags;
  }

  /** What a tag stands for: one HEAD. */
  async digest(tag: string): Promise<string | undefined> {
    const known = this.#digests.get(tag);
    if (known !== undefined) return await known;
    const asked = this.#heard(this.#repository.digest(tag, { signal: AbortSignal.timeout(LONGEST) }));
    this.#digests.set(tag, asked);
    return await asked;
  }

  /**
   * When images say that they were built. Asked once for each tag: of one that moves the first is remembered, until the operator starts
   * again.
   *
   * @throws Where there are too many to ask.
   */
  async builds(tags: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (tags.length > MOST_BUILDS) {
      throw new Error(
        `spec.policy.newestBuild: ${tags.length} tags would have to be asked, one by one: narrow spec.filter to ${MOST_BUILDS} at most`,
      );
    }
    const wanted = new Set(tags);
    for (const tag of this.#builds.keys()) if (!wanted.has(tag)) this.#builds.delete(tag);
    const signal = AbortSignal.timeout(LONGEST);
    for (const tag of tags) {
      if (!this.#builds.has(tag)) this.#builds.set(tag, await this.#heard(createdAt(this.#repository, tag, signal)));
    }
    return new Map([...this.#builds].filter(([, at]) => !Number.isNaN(at)));
  }

  #heard<T>(asked: Promise<T>): Promise<T> {
    // Whoever asked hears of it as well; nobody has to.
    asked.catch((error) => {
      this.#failure = error;
    });
    return asked;
  }
}

/** Not a number where the image does not say so. */
async function createdAt(repository: Repository, tag: string, signal: AbortSignal): Promise<number> {
  const { content } = await repository.manifest(tag, { signal });
  const part = isIndex(content) ? content.manifests.find(({ platform }) => platform?.os !== 'unknown') : undefined;
  const manifest = part ? (await repository.manifest(part.digest, { signal })).content : content;
  if (isIndex(manifest)) return Number.NaN;
  const { created = '' } = await repository.config(manifest as OciManifest, { signal });
  return Date.parse(created);
}

/** What went wrong, with what helps. */
export function troubleWith(error: unknown, { whose }: LogIns): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return `The registry has not answered whole within ${LONGEST / 1000} s: see whether it can be reached from where the operator runs.`;
  }
  if (!(error instanceof RegistryError)) return error instanceof Error ? error.message : String(error);
  const asked = error.code === 'KUR_REGISTRY_DENIED' ? ` (${whose})` : '';
  const again = error.retryAt ? `; it is asked again at ${error.retryAt.toISOString()}` : '';
  return `${error.message}${asked} ${error.remedy}${again}`;
}
