/**
 * Metrics for those who may read them: over TLS, on a port of their own. The certificate is the operator's own, from a Secret that all
 * replicas share and whose `ca.crt` others can trust it by.
 */
import type { Client } from '@kurator/client';
import type { Certificates } from '../../certificates/certificates.ts';
import { type Clock, pause } from '../../clock.ts';
import { RuntimeError } from '../../error.ts';
import type { Logger } from '../../insight/late-logger.ts';
import type { RunContext, Runnable } from '../runnable.ts';
import { createHttpServer, type HttpServer, type HttpServerOptions, type Route } from './http-server.ts';
import { objectName } from './lead.ts';

export interface AuthorizedMetricsOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** The operator's: the Secret, and the Service in front of it, are called after it. */
  readonly name: string;
  readonly listen: HttpServerOptions;
  /** For those who may. */
  readonly route: Route;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const lifetimes = { authorityLifetime: 365 * DAY, lifetime: 90 * DAY, overlap: HOUR };
// Another replica may have changed the keys: far more often than an overlap is long.
const INTERVAL = 60_000;
const SHORTEST_REST = 500;

export class AuthorizedMetrics implements Runnable {
  readonly name = 'metrics';
  readonly #options: AuthorizedMetricsOptions;
  readonly #listening = Promise.withResolvers<string>();
  #server: HttpServer | undefined;
  #failures = 0;

  constructor(options: AuthorizedMetricsOptions) {
    this.#options = options;
    // Whoever doesn't ask for the URL need not hear that there is none.
    this.#listening.promise.catch(() => {});
  }

  /** Where this machine reaches them, once they are served. */
  url(): Promise<string> {
    return this.#listening.promise;
  }

  async run({ stop, logger }: RunContext): Promise<void> {
    const certificates = await this.#certificates(logger);
    try {
      while (!stop.aborted) {
        const rest = await this.#look(certificates, logger);
        await pause(this.#options.clock, Math.min(rest, INTERVAL), stop);
      }
    } finally {
      this.#listening.reject(new RuntimeError('KUR_RUNTIME_STOPPED', 'the metrics are no longer served'));
      await this.#server?.close();
    }
  }

  /** @returns milliseconds until something is due. An operator works on without metrics, so only a port that can't be had is fatal. */
  async #look(certificates: Certificates, logger: Logger): Promise<number> {
    try {
      const { serving } = await certificates.read();
      await this.#serve({ cert: serving.pem, key: serving.exportKey() }, logger);
      // Nobody can see who has read `ca.crt`: it has an overlap's time to be read.
      const rest = await certificates.advance(true);
      this.#failures = 0;
      return rest;
    } catch (error) {
      if (error instanceof RuntimeError && error.code === 'KUR_RUNTIME_LISTEN') throw error;
      logger.warn({ error }, 'the certificate of the metrics is not in order: trying again');
      return SHORTEST_REST * 2 ** Math.min(this.#failures++, 10);
    }
  }

  async #serve(pair: { cert: string; key: string }, logger: Logger): Promise<void> {
    if (this.#server) {
      this.#server.use(pair);
      return;
    }
    const { client, clock, listen, route } = this.#options;
    const { authorized } = await import('./metrics-access.ts');
    const server = createHttpServer({ '/metrics': authorized(route, { client, clock, logger }) }, listen, pair);
    this.#listening.resolve(await server.listen());
    this.#server = server;
  }

  async #certificates(logger: Logger): Promise<Certificates> {
    const { client, clock, name } = this.#options;
    // Loaded when it is needed: most operators' metrics are open to all who reach them.
    const { SecretCertificates } = await import('../../certificates/secret-certificates.ts');
    const service = `${objectName(name)}-metrics`;
    const namespace = process.env.POD_NAMESPACE ?? client.config.namespace ?? 'default';
    const inCluster = `${service}.${namespace}.svc`;
    const names = [inCluster, `${inCluster}.cluster.local`, 'localhost', '127.0.0.1'];
    const settings = { operator: objectName(name), purpose: 'metrics', names, ...lifetimes };
    return new SecretCertificates({ client, clock, logger, secret: { name: service, namespace }, settings });
  }
}
