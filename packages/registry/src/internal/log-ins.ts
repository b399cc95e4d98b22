/** Who one is to registries: asks for tokens, and keeps them by registry and scope until they end. */
import type { CredentialSource, RegistryCredentials } from '../credentials/credentials.ts';
import { RegistryError } from '../error.ts';
import type { RepositoryName } from '../image-name.ts';
import { readJson } from './body.ts';
import { type Challenge, parseChallenges } from './challenge.ts';
import { type AnswerHeaders, headerValues, type Outgoing, type Transport } from './transport.ts';
import { badContent, mayPass, placeText, rateLimited, refusal } from './trouble.ts';

/** What is to be done where, in a registry's words: `repository:demo/web:pull`. */
export interface Access {
  readonly place: RepositoryName;
  readonly scopes: readonly string[];
}

/** What is sent as `Authorization`, and what must be in no message. */
export interface LogIn {
  readonly authorization: string;
  readonly secrets: readonly string[];
  /** Whether it is somebody, or anybody. */
  readonly isKnown: boolean;
}

interface Kept {
  /** How the registry asked; asked the same way, a token can be had before the registry refuses. */
  readonly challenge: Challenge;
  readonly logIn: Promise<LogIn & { readonly endsAt: number }>;
  endsAt: number;
}

/** Where a token does not say how long it lasts, in seconds: by the specification. */
const DEFAULT_LIFE = 60;
const LONGEST_LIFE = 60 * 60;
/** In milliseconds: a token that ends while a request is under way is of no use. */
const MARGIN = 5_000;
const MOST_KEPT = 1_000;
const LONGEST_TOKEN = 1024 * 1024;
const TIMEOUT = 30_000;

export class LogIns {
  readonly #transport: Transport;
  readonly #source: CredentialSource;
  readonly #kept = new Map<string, Kept>();

  constructor(transport: Transport, source: CredentialSource) {
    this.#transport = transport;
    this.#source = source;
  }

  /** What is known already, or can be had by asking as the registry wanted it last time. Undefined: try without. */
  async known(access: Access): Promise<LogIn | undefined> {
    const kept = this.#kept.get(keyOf(access));
    if (!kept) return undefined;
    if (kept.endsAt > Date.now()) return await kept.logIn;
    return await this.#renew(access, kept.challenge);
  }

  /** What to answer a registry that asks who we are. Undefined where there is no more to say. @param tried What it refused. */
  async answer(access: Access, headers: AnswerHeaders, tried: LogIn | undefined): Promise<LogIn | undefined> {
    const challenges = parseChallenges(headerValues(headers, 'www-authenticate'));
    const chosen =
      challenges.find(({ scheme }) => scheme === 'bearer') ?? challenges.find(({ scheme }) => scheme === 'basic');
    if (!chosen) return undefined;
    const newer = await this.#newer(access, tried);
    const logIn = newer ?? (await this.#renew(access, chosen));
    return logIn?.authorization === tried?.authorization ? undefined : logIn;
  }

  /** Somebody else may have asked meanwhile. */
  async #newer(access: Access, tried: LogIn | undefined): Promise<LogIn | undefined> {
    const kept = this.#kept.get(keyOf(access));
    if (!kept || kept.endsAt <= Date.now()) return undefined;
    const logIn = await kept.logIn;
    return logIn.authorization === tried?.authorization ? undefined : logIn;
  }

  async #renew(access: Access, challenge: Challenge): Promise<LogIn | undefined> {
    const key = keyOf(access);
    const logIn = this.#obtain(access, challenge);
    // Until it is there, whoever comes waits for the same.
    const kept: Kept = { challenge, logIn: logIn as Kept['logIn'], endsAt: Date.now() + TIMEOUT };
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    try {
      const obtained = await logIn;
      if (obtained) kept.endsAt = obtained.endsAt;
      else this.#kept.delete(key);
      return obtained;
    } catch (error) {
      // The way to ask is still known, where it was only bad luck.
      if (mayPass(error)) kept.endsAt = 0;
      else this.#kept.delete(key);
      throw error;
    }
  }

  async #obtain(access: Access, challenge: Challenge): Promise<(LogIn & { endsAt: number }) | undefined> {
    const credentials = await this.#source(access.place, { signal: AbortSignal.timeout(TIMEOUT) });
    if (credentials && 'bearerToken' in credentials) {
      const { bearerToken } = credentials;
      return {
        authorization: `Bearer ${bearerToken}`,
        secrets: [bearerToken],
        isKnown: true,
        endsAt: Date.now() + TIMEOUT,
      };
    }
    if (challenge.scheme === 'bearer') return await this.#token(access, challenge, credentials);
    if (!credentials || !('username' in credentials)) return undefined;
    const authorization = basic(credentials);
    const secrets = [credentials.password, authorization.slice('Basic '.length)];
    return { authorization, secrets, isKnown: true, endsAt: Date.now() + LONGEST_LIFE * 1000 };
  }

  async #token({ place, scopes }: Access, { parameters }: Challenge, credentials: RegistryCredentials | undefined) {
    const realm = this.#realm(place, parameters.realm ?? '', credentials !== undefined);
    const asked = new URLSearchParams(parameters.service === undefined ? {} : { service: parameters.service });
    const wanted = new Set([...scopes, ...(parameters.scope ?? '').split(' ').filter(Boolean)]);
    const errand = { place, what: `the log-in at ${realm.host} for` };
    const outgoing = request(realm, asked, wanted, credentials);
    const resting = this.#transport.budgetOf(realm).retryAt;
    if (resting) throw rateLimited(place, resting);
    const signal = AbortSignal.timeout(TIMEOUT);
    const answer = await this.#transport.send({ errand, signal, ...outgoing });
    const { status } = answer;
    const { retryAt } = this.#transport.budgetOf(answer.url);
    const isKnown = credentials !== undefined;
    if (status !== 200) {
      answer.body.destroy();
      if (status === 429 || status >= 500) throw refusal(errand, { status, text: '', retryAt, isKnown, isRead: false });
      throw notAllowed(place, `${realm.host} answered ${status}`, isKnown, status);
    }
    const said = (await readJson(answer.body, LONGEST_TOKEN, place, 'a token')) as Partial<Record<string, unknown>>;
    const token = [said.token, said.access_token].find((each) => typeof each === 'string' && each !== '') as string;
    if (token === undefined || !/^[\x21-\x7e]+$/.test(token)) throw badContent(place, `no token (from ${realm.host})`);
    const life = typeof said.expires_in === 'number' && said.expires_in > 0 ? said.expires_in : DEFAULT_LIFE;
    const endsAt = Date.now() + Math.max(Math.min(life, LONGEST_LIFE) * 1000 - MARGIN, 0);
    return { authorization: `Bearer ${token}`, secrets: [token], isKnown, endsAt };
  }

  #realm(place: RepositoryName, text: string, hasSecret: boolean): URL {
    const realm = URL.parse(text);
    if (!realm || !/^https?:$/.test(realm.protocol))
      throw notAllowed(place, 'it does not say where to log in', hasSecret);
    if (hasSecret && realm.protocol === 'http:' && this.#transport.urlOf(place).protocol === 'https:') {
      throw notAllowed(place, `it wants the log-in to go to ${realm.host} over plain HTTP`, hasSecret);
    }
    return realm;
  }
}

function keyOf({ place, scopes }: Access): string {
  return `${placeText(place)} ${scopes.join(' ')}`;
}

/** A refresh token goes into a form, a password into the header, and nobody in particular just asks. */
function request(
  realm: URL,
  asked: URLSearchParams,
  scopes: ReadonlySet<string>,
  credentials: RegistryCredentials | undefined,
): Pick<Outgoing, 'method' | 'url' | 'headers' | 'authorization' | 'body'> {
  if (credentials && 'identityToken' in credentials) {
    asked.set('grant_type', 'refresh_token');
    asked.set('client_id', 'kurator');
    asked.set('refresh_token', credentials.identityToken);
    asked.set('scope', [...scopes].join(' '));
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return { method: 'POST', url: realm, headers, body: () => String(asked) };
  }
  for (const scope of scopes) asked.append('scope', scope);
  const url = new URL(realm);
  url.search = String(new URLSearchParams([...realm.searchParams, ...asked]));
  const authorization = credentials && 'username' in credentials ? basic(credentials) : undefined;
  return { method: 'GET', url, authorization };
}

function basic({ username, password }: { username: string; password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function notAllowed(
  { host, repository }: RepositoryName,
  why: string,
  isKnown: boolean,
  status?: number,
): RegistryError {
  const message = `The registry ${host} lets ${isKnown ? 'us' : 'nobody'} in like this to ${repository}: ${why}.`;
  const remedy = isKnown
    ? `Log in to ${host} anew, with an account that may do this.`
    : `Log in to ${host}, with an account that may do this.`;
  return new RegistryError('KUR_REGISTRY_DENIED', message, { remedy, registry: host, repository, status });
}
