/**
 * Who may read the metrics, as the API server says: whose token it is (TokenReview), and whether that user may get /metrics
 * (SubjectAccessReview). Answers are kept for a short time, so that a scrape costs no request, and a right that was taken away soon
 * counts.
 */
import { createHash } from 'node:crypto';
import type { Client } from '@kurator/client';
import { TokenReview } from '@kurator/client/authentication/v1';
import { SubjectAccessReview } from '@kurator/client/authorization/v1';
import { BoundedMap } from '../../bounded-map.ts';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../insight/late-logger.ts';
import { type Answer, type Route, text } from './http-server.ts';

/** `unknown`: nobody's token; `unchecked`: it can't be said now. */
type Access = 'granted' | 'forbidden' | 'unknown' | 'unchecked';

interface KnownAccess {
  readonly access: Access;
  /** On the clock's monotonic time. */
  readonly until: number;
}

export interface MetricsAccessOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
}

const PATH = '/metrics';
const GRANTED_FOR = 60_000;
// Short: somebody who was just given the right looks whether he has it.
const REFUSED_FOR = 10_000;
const MOST_ANSWERS = 500;
// Whoever sends made-up tokens can't make us ask the API server about more than so many at once.
const MOST_STRANGERS = 8;
const REVIEW_WITHIN = 5_000;

const refusals: Readonly<Record<Exclude<Access, 'granted'>, Answer>> = {
  unknown: {
    ...text(401, 'send a token that the API server knows: Authorization: Bearer TOKEN'),
    headers: { 'www-authenticate': 'Bearer' },
  },
  forbidden: text(
    403,
    `this user may not get ${PATH}: bind a ClusterRole with nonResourceURLs: [${PATH}], verbs: [get]`,
  ),
  unchecked: text(503, "who asks can't be checked now: the operator's log says why"),
};

/** The route for those who may, and a refusal for all others. */
export function authorized(route: Route, options: MetricsAccessOptions): Route {
  const reviews = new Reviews(options);
  return async (question) => {
    const [, token] = /^Bearer +([^ ]+)$/i.exec(question.headers.authorization ?? '') ?? [];
    const access = token === undefined ? 'unknown' : await reviews.of(token);
    return access === 'granted' ? await route(question) : refusals[access];
  };
}

class Reviews {
  readonly #options: MetricsAccessOptions;
  // By a digest: tokens of others are not kept. Apart, so that made-up tokens push nobody out who may read metrics.
  readonly #granted = new BoundedMap<string, KnownAccess>(MOST_ANSWERS);
  readonly #refused = new BoundedMap<string, KnownAccess>(MOST_ANSWERS);
  readonly #underWay = new Map<string, Promise<Access>>();
  #said = '';

  constructor(options: MetricsAccessOptions) {
    this.#options = options;
  }

  async of(token: string): Promise<Access> {
    const { clock } = this.#options;
    const key = createHash('sha256').update(token).digest('base64');
    const granted = this.#granted.get(key);
    const known = granted ?? this.#refused.get(key);
    if (known && clock.now() < known.until) return known.access;
    // Who asks with the same token meanwhile waits for the same answer.
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return await underWay;
    // Who was let in before is no stranger: he is asked about however many others there are.
    if (!granted && this.#underWay.size >= MOST_STRANGERS) return 'unchecked';
    const review = this.#review(key, token);
    this.#underWay.set(key, review);
    return await review;
  }

  async #review(key: string, token: string): Promise<Access> {
    try {
      const access = await this.#ask(token);
      this.#said = '';
      this.#keep(key, access);
      return access;
    } catch (error) {
      this.#tell(error);
      return 'unchecked';
    } finally {
      this.#underWay.delete(key);
    }
  }

  #keep(key: string, access: Access): void {
    const now = this.#options.clock.now();
    this.#granted.delete(key);
    if (access === 'granted') this.#granted.set(key, { access, until: now + GRANTED_FOR });
    else this.#refused.set(key, { access, until: now + REFUSED_FOR });
  }

  async #ask(token: string): Promise<Access> {
    const { client } = this.#options;
    const signal = AbortSignal.timeout(REVIEW_WITHIN);
    const { status } = await client.create(TokenReview, { metadata: {}, spec: { token } }, { signal });
    const { authenticated, user } = status ?? {};
    if (!authenticated || !user?.username) return 'unknown';
    const { username, ...others } = user;
    const spec = { ...others, user: username, nonResourceAttributes: { path: PATH, verb: 'get' } };
    const review = await client.create(SubjectAccessReview, { metadata: {}, spec }, { signal });
    return review.status?.allowed ? 'granted' : 'forbidden';
  }

  /** Once, and again when there is something else to say. */
  #tell(error: unknown): void {
    const message = String(error);
    if (message !== this.#said) {
      const why =
        "who asks for metrics can't be checked: the operator must be able to create TokenReviews and SubjectAccessReviews";
      this.#options.logger.warn({ error }, why);
    }
    this.#said = message;
  }
}
