/** The front door: one client for all registries that a program talks to. */
import type { CredentialSource, RegistryCredentials } from './credentials/credentials.ts';
import { checkRepositoryName, parseImageName, type RepositoryName } from './image-name.ts';
import type { Budget } from './internal/budget.ts';
import { Connection } from './internal/connection.ts';
import { LogIns } from './internal/log-ins.ts';
import { Transport } from './internal/transport.ts';
import { Repository } from './repository.ts';
import type { ProxySettings, RegistrySettings } from './settings.ts';

export type { Budget } from './internal/budget.ts';

/** Who asks, and how registries are reached. */
export interface RegistryClientOptions {
  /** Who one is; nobody in particular unless told. `dockerCredentials()` knows who has logged in on this machine. */
  readonly credentials?: CredentialSource | RegistryCredentials | undefined;
  /** What is special about a registry, by its host as image names have it: its own URL, authority or trust. */
  readonly registries?: Readonly<Record<string, RegistrySettings>>;
  /** For how long nothing may happen, in milliseconds, while one waits for an answer or its next bytes; 30 s unless told. */
  readonly timeout?: number;
  /**
   * How long a call may wait for a registry that has said when to come again, in milliseconds; 10 s unless told. Where it
   * would be longer, the call ends at once with `KUR_REGISTRY_RATE_LIMITED` and its `retryAt`. Nor is a pause before what failed
   * is tried again any longer.
   */
  readonly patience?: number;
  /** `proxiesOf(process.env)` for the environment's; none unless told. */
  readonly proxy?: ProxySettings;
}

const TIMEOUT = 30_000;
const PATIENCE = 10_000;

/**
 * Talks to OCI registries. Connections, tokens and what a host has said about how often it may be asked are shared by all that is done
 * through one client, so a program needs one.
 */
export class RegistryClient implements AsyncDisposable {
  readonly #transport: Transport;
  readonly #logIns: LogIns;
  readonly #patience: number;

  private constructor(transport: Transport, credentials: RegistryClientOptions['credentials'], patience: number) {
    this.#transport = transport;
    this.#logIns = new LogIns(transport, sourceOf(credentials));
    this.#patience = patience;
  }

  /** @internal */
  static create(options: RegistryClientOptions): RegistryClient {
    const { credentials, registries = {}, timeout = TIMEOUT, patience = PATIENCE, proxy } = options;
    return new RegistryClient(new Transport({ registries, timeout, proxy }), credentials, patience);
  }

  /** A repository, by a name (`ghcr.io/demo/web`; a tag or digest in it is left aside) or by its parts. Sends nothing. */
  repository(name: string | RepositoryName): Repository {
    const { host, repository } = typeof name === 'string' ? parseImageName(name) : name;
    const place = { host, repository };
    checkRepositoryName(place);
    const [transport, logIns, patience] = [this.#transport, this.#logIns, this.#patience];
    return new Repository(new Connection({ transport, logIns, place, patience }));
  }

  /** The same client as somebody else: connections and budgets are shared, tokens are not. It is closed with this one. */
  as(credentials: RegistryClientOptions['credentials']): RegistryClient {
    return new RegistryClient(this.#transport, credentials, this.#patience);
  }

  /** What a registry has last said about how often it may be asked. @param host As image names begin with it. */
  budget(host: string): Budget {
    return this.#transport.budgetOf(this.#transport.urlOf({ host })).state;
  }

  /** Ends all connections; what is under way fails. */
  async close(): Promise<void> {
    await this.#transport.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** A client of registries; see {@link RegistryClientOptions}. */
export function createRegistryClient(options: RegistryClientOptions = {}): RegistryClient {
  return RegistryClient.create(options);
}

function sourceOf(credentials: RegistryClientOptions['credentials']): CredentialSource {
  return typeof credentials === 'function' ? credentials : async () => credentials;
}
