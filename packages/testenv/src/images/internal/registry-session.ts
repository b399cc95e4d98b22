/** Talks to one repository of a registry (OCI distribution): asks who we are when the registry wants to know, follows, tries again. */
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { TestenvError } from '../../error.ts';

/** Who somebody is to a registry. */
export type RegistryCredentials =
  | { readonly username: string; readonly password: string }
  /** What a registry's own log-in gave, in the place of a password. */
  | { readonly identityToken: string };

/** Which repository, and who asks. */
export interface SessionOptions {
  readonly registry: URL;
  readonly repository: string;
  /** What is to be done there. */
  readonly actions: 'pull' | 'pull,push';
  readonly credentials?: RegistryCredentials | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What is asked. */
export interface Question {
  readonly expected: readonly number[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Made anew for each try. */
  readonly body?: () => Readable | string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable & { text(): Promise<string> };
}

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT';
const MOST_REDIRECTIONS = 5;
const TRIES = 4;
const FIRST_PAUSE = 300;

export class RegistrySession {
  readonly #options: SessionOptions;
  readonly #dispatcher = new Agent({ connect: { timeout: 10_000 } });
  #authorization: string | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Below the repository: `blobs/sha256:…`. */
  url(path: string): URL {
    const { registry, repository } = this.#options;
    return new URL(`/v2/${repository}/${path}`, registry);
  }

  /** Relative to the registry, as its answers have it. */
  resolve(location: string): URL {
    return new URL(location, this.#options.registry);
  }

  async ask(method: Method, url: URL, question: Question): Promise<Answer> {
    let answer = await this.#send(method, url, question);
    if (answer.status === 401 && (await this.#logIn(answer))) answer = await this.#send(method, url, question);
    if (question.expected.includes(answer.status)) return answer;
    throw await refusal(`${method} ${url.pathname}`, answer);
  }

  /** Does something again that may be done twice, as long as what went wrong may pass. */
  async persist<T>(act: () => Promise<T>): Promise<T> {
    const { signal } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        return await act();
      } catch (error) {
        signal?.throwIfAborted();
        if (attempt === TRIES || !mayPass(error)) throw error;
        await delay(FIRST_PAUSE * 2 ** attempt, undefined, signal ? { signal } : {});
      }
    }
  }

  async close(): Promise<void> {
    await this.#dispatcher.close();
  }

  async #send(method: Method, url: URL, { headers = {}, body }: Question): Promise<Answer> {
    const { registry, signal } = this.#options;
    let target = url;
    for (let followed = 0; ; followed++) {
      // What a registry keeps elsewhere, it has signed already: nobody else is told who we are.
      const isHome = target.origin === registry.origin;
      const authorization = isHome && this.#authorization ? { authorization: this.#authorization } : {};
      const response = await request(target, {
        method,
        dispatcher: this.#dispatcher,
        headers: { ...headers, ...authorization },
        body: body?.() ?? null,
        ...(signal ? { signal } : {}),
      }).catch((cause) => {
        throw signal?.aborted ? signal.reason : unreachable(target, cause);
      });
      const { statusCode: status, headers: answered } = response;
      const location = first(answered.location);
      const isElsewhere = method === 'GET' && status >= 301 && status <= 308 && location;
      if (!isElsewhere || followed === MOST_REDIRECTIONS) return { status, headers: answered, body: response.body };
      await response.body.dump();
      target = new URL(location, target);
    }
  }

  /** False where there is no more to say. */
  async #logIn({ headers, body }: Answer): Promise<boolean> {
    await body.text();
    const challenge = first(headers['www-authenticate']) ?? '';
    const { credentials } = this.#options;
    const before = this.#authorization;
    if (/^basic/i.test(challenge) && credentials && 'username' in credentials) this.#authorization = basic(credentials);
    else if (/^bearer/i.test(challenge)) this.#authorization = `Bearer ${await this.#token(challenge)}`;
    return this.#authorization !== before;
  }

  async #token(challenge: string): Promise<string> {
    const { repository, actions, credentials, registry } = this.#options;
    const said = Object.fromEntries([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]));
    const realm = URL.parse(said.realm ?? '');
    if (!realm) throw notAllowed(registry, 'it does not say where to log in');
    const asked = { service: said.service ?? '', scope: `repository:${repository}:${actions}` };
    const withToken = credentials && 'identityToken' in credentials;
    const form = withToken
      ? new URLSearchParams({
          ...asked,
          grant_type: 'refresh_token',
          client_id: 'kurator',
          refresh_token: credentials.identityToken,
        })
      : undefined;
    if (!form) realm.search = String(new URLSearchParams([...realm.searchParams, ...Object.entries(asked)]));
    const { statusCode, body } = await request(realm, {
      method: form ? 'POST' : 'GET',
      dispatcher: this.#dispatcher,
      headers: {
        ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
        ...(credentials && !withToken ? { authorization: basic(credentials) } : {}),
      },
      body: form ? String(form) : null,
    }).catch((cause) => {
      throw unreachable(realm, cause);
    });
    const text = await body.text();
    if (statusCode !== 200) throw notAllowed(registry, `${realm.host} answered ${statusCode}`);
    const { token, access_token } = JSON.parse(text) as { token?: string; access_token?: string };
    return token ?? access_token ?? '';
  }
}

function basic({ username, password }: { username: string; password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** A fault of the registry's own, or of the way to it. */
function mayPass(error: unknown): boolean {
  return error instanceof TestenvError && passing.has(error);
}

const passing = new WeakSet<TestenvError>();

function unreachable({ origin }: URL, cause: unknown): TestenvError {
  const { message, name } = cause as Error;
  const error = new TestenvError(
    'KUR_TESTENV_REGISTRY',
    `The registry ${origin} can't be reached: ${message || name}.`,
    {
      remedy: 'Check that it runs, and that its address can be reached from here.',
      cause,
    },
  );
  // A door that nobody opens stays shut; one that was slammed may open again.
  if ((cause as NodeJS.ErrnoException).code !== 'ECONNREFUSED') passing.add(error);
  return error;
}

async function refusal(what: string, { status, body }: Answer): Promise<TestenvError> {
  const text = (await body.text().catch(() => '')).trim().slice(0, 300);
  const told = `The registry answered ${status} to ${what}${text ? `: ${text}` : ''}.`;
  const remedy = [401, 403].includes(status)
    ? 'Log in to the registry, with an account that may do this.'
    : 'Check that the address is that of a registry, and its log.';
  const error = new TestenvError('KUR_TESTENV_REGISTRY', told, { remedy });
  if (status === 429 || status >= 502) passing.add(error);
  return error;
}

function notAllowed({ host }: URL, why: string): TestenvError {
  return new TestenvError('KUR_TESTENV_REGISTRY', `The registry ${host} lets nobody in like this: ${why}.`, {
    remedy: 'Log in to the registry, with an account that may do this.',
  });
}
