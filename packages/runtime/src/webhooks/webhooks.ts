/**
 * Webhooks of an operator, as something that a manager runs: a server, its certificates, and what the API server is told
 * of it. It works in every replica, leader or not, and before any cache is filled.
 */
import { type KubernetesObject, type ResourceType, Secret } from '@kurator/client';
import type { Certificates } from '../certificates/certificates.ts';
import { FolderCertificates } from '../certificates/folder-certificates.ts';
import { SecretCertificates } from '../certificates/secret-certificates.ts';
import { fired, pause, systemClock } from '../clock.ts';
import type { Logger } from '../insight/late-logger.ts';
import type { RunContext, Runnable } from '../manager/runnable.ts';
import type { AdmissionOptions, MutateHandler, MutateOptions, ValidateHandler } from './admission.ts';
import type { Conversions } from './conversion.ts';
import { reviewed } from './internal/admission-answer.ts';
import { admit } from './internal/admit.ts';
import { CallMetrics } from './internal/call-metrics.ts';
import { convertAll } from './internal/convert.ts';
import { timeFor } from './internal/deadline.ts';
import {
  type AdmissionHook,
  admissionHook,
  badHook,
  type ConversionHook,
  conversionHook,
  groupVersionOf,
} from './internal/hook.ts';
import { placesOf } from './internal/registrar.ts';
import { readAdmissionReview, readConversionReview } from './internal/review.ts';
import { HookServer, type Route } from './internal/server.ts';
import { mostInAll, settingsOf } from './internal/settings.ts';
import { Upkeep, type Watched } from './internal/upkeep.ts';
import type { WebhooksOptions } from './options.ts';

/** The webhooks of one operator: declare them, then give this to a manager, `manager.add(webhooks, 'webhook')`. */
export interface Webhooks extends Runnable {
  /** Has the handler asked before an object of this type is created or changed. */
  validate<T extends KubernetesObject>(
    type: ResourceType<T>,
    handler: ValidateHandler<T>,
    options?: AdmissionOptions,
  ): void;
  /** Has the handler complete objects of this type before they are checked and stored. */
  mutate<T extends KubernetesObject>(type: ResourceType<T>, handler: MutateHandler<T>, options?: MutateOptions): void;
  /**
   * Converts between the versions of a custom kind.
   *
   * @param stored the type in the version that is stored.
   * @param versions by the name of each other version, how it becomes the stored one and back.
   */
  convert<Stored extends KubernetesObject, Others extends Record<string, KubernetesObject>>(
    stored: ResourceType<Stored>,
    versions: Conversions<Stored, Others>,
  ): void;
  /** The port that it listens on, once it does. */
  port(): Promise<number>;
  /**
   * Resolves when nothing of it runs any more, and registrations are put back where it is temporary. A manager waits only as
   * long as there is time to stop: who ends the process afterwards waits for this first.
   */
  ended(): Promise<void>;
}

/** Makes webhooks; nothing happens before they are run. */
export function createWebhooks(options: WebhooksOptions): Webhooks {
  return new WebhookServer(options);
}

class WebhookServer implements Webhooks {
  readonly name = 'webhooks';
  readonly #options: WebhooksOptions;
  readonly #settings: ReturnType<typeof settingsOf>;
  readonly #admission: AdmissionHook[] = [];
  readonly #conversion: ConversionHook[] = [];
  readonly #metrics = new CallMetrics(() => this.#server?.served);
  readonly #listening = Promise.withResolvers<number>();
  readonly #registered = Promise.withResolvers<void>();
  #ended: Promise<void> = Promise.resolve();
  #server: HookServer | undefined;
  #upkeep: Upkeep | undefined;

  constructor(options: WebhooksOptions) {
    this.#options = options;
    this.#settings = settingsOf(options);
    options.metrics?.add(this.#metrics.families);
    // Whoever doesn't ask for the port need not hear that there is none.
    this.#listening.promise.catch(() => {});
  }

  get #clock() {
    return this.#options.clock ?? systemClock;
  }

  validate<T extends KubernetesObject>(type: ResourceType<T>, handler: ValidateHandler<T>, options = {}): void {
    // Which type the handler is for is checked by the kind in each request.
    this.#declare(
      this.#admission,
      admissionHook('validate', type, handler as unknown as ValidateHandler<KubernetesObject>, options),
    );
  }

  mutate<T extends KubernetesObject>(type: ResourceType<T>, handler: MutateHandler<T>, options = {}): void {
    this.#declare(
      this.#admission,
      admissionHook('mutate', type, handler as unknown as MutateHandler<KubernetesObject>, options),
    );
  }

  convert<Stored extends KubernetesObject, Others extends Record<string, KubernetesObject>>(
    stored: ResourceType<Stored>,
    versions: Conversions<Stored, Others>,
  ): void {
    this.#declare(this.#conversion, conversionHook(stored, versions as unknown as ConversionHook['versions']));
  }

  #declare<H extends { path: string; name: string }>(hooks: H[], hook: H): void {
    if (this.#upkeep) throw badHook(`${hook.name} was declared after the start: declare it before`);
    if (hooks.some(({ path }) => path === hook.path)) {
      throw badHook(`${hook.name} was declared twice: put both into one handler, or give one of them a name`);
    }
    hooks.push(hook);
  }

  port(): Promise<number> {
    return this.#listening.promise;
  }

  async ready(signal: AbortSignal): Promise<void> {
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([this.#registered.promise, stopped]);
  }

  isNeededToRead(type: ResourceType): boolean {
    const { group } = groupVersionOf(type);
    return this.#conversion.some((hook) => hook.type.kind === type.kind && groupVersionOf(hook.type).group === group);
  }

  readiness(): string | undefined {
    const { certificates } = this.#settings;
    const { registered, trouble, rightAt } = this.#upkeep ?? {};
    const because = trouble ? `: ${trouble}` : '';
    const served = this.#server?.served;
    if (!served) return `there is no certificate to serve yet${because}`;
    if (served.certificate.until <= this.#clock.date()) return `the certificate has expired${because}`;
    if (!registered) return `not registered with the API server yet${because}`;
    // The others may have gone on to keys that this replica has not heard of.
    const stale = !('folder' in certificates) && this.#clock.now() - (rightAt ?? 0) > certificates.overlap;
    return stale ? `has not seen its keys and registrations for too long${because}` : undefined;
  }

  ended(): Promise<void> {
    return this.#ended;
  }

  run(context: RunContext): Promise<void> {
    const running = this.#run(context);
    this.#ended = running.catch(() => {});
    return running;
  }

  async #run({ stop, abort, remaining, logger }: RunContext): Promise<void> {
    const server = this.#makeServer(logger);
    const upkeep = this.#makeUpkeep(server, logger);
    this.#server = server;
    this.#upkeep = upkeep;
    void upkeep.untilRegistered().then(() => this.#registered.resolve());
    abort.addEventListener('abort', () => server.abort(), { once: true });
    const keeping = upkeep.run(stop);
    try {
      await Promise.race([keeping, fired(stop)]);
    } catch (error) {
      this.#listening.reject(error);
      throw error;
    }
    if (this.#options.temporary) {
      // While it still answers: nobody is refused for want of an answer.
      await Promise.race([keeping, fired(abort)]);
      await upkeep.restore();
    }
    server.leave();
    // Half of the time at most: what is under way needs some too.
    await pause(this.#clock, Math.min(this.#settings.drainDelay, remaining() / 2), abort);
    await server.close();
    await Promise.race([keeping, fired(abort)]);
  }

  #makeServer(logger: Logger): HookServer {
    const { host, port, limits } = this.#settings;
    const routes = this.#routes(logger);
    return new HookServer({
      host,
      port,
      connections: limits.connections,
      bytes: mostInAll(Array.from(routes.values(), ({ limit }) => limit)),
      logger,
      routes,
      unready: () => this.readiness(),
      onBegin: (path) => this.#metrics.begin(path),
      onEnd: (path, status, seconds) => this.#metrics.end(path, status, seconds),
    });
  }

  #routes(logger: Logger): Map<string, Route> {
    const clock = this.#clock;
    const { limits } = this.#settings;
    const admission = this.#admission.map((hook): [string, Route] => [
      hook.path,
      {
        limit: limits.admission,
        async answer(body, query, gone) {
          const time = timeFor(query, hook.timeoutSeconds * 1000);
          return reviewed(await admit(hook, readAdmissionReview(body), { clock, logger, time, gone }));
        },
      },
    ]);
    const conversion = this.#conversion.map((hook): [string, Route] => [
      hook.path,
      { limit: limits.conversion, answer: async (body) => convertAll(hook, readConversionReview(body), logger) },
    ]);
    return new Map([...admission, ...conversion]);
  }

  #makeUpkeep(server: HookServer, logger: Logger): Upkeep {
    const { client } = this.#options;
    const { registrant } = this.#settings;
    const hooks = { admission: this.#admission, conversion: this.#conversion };
    return new Upkeep({
      client,
      clock: this.#clock,
      logger,
      ...this.#keys(logger),
      serve: (certificate) => server.use(certificate),
      open: async (certificate) => {
        server.use(certificate);
        const port = await server.listen();
        this.#listening.resolve(port);
        logger.info({ port }, 'webhooks are served');
        return placesOf(client, registrant(port), hooks);
      },
    });
  }

  #keys(logger: Logger): { certificates: Certificates; watched: Watched[]; interval: number } {
    const { client, name: operator, namespace } = this.#options;
    const { certificates, names } = this.#settings;
    if ('folder' in certificates) {
      return { certificates: new FolderCertificates(certificates.folder), watched: [], interval: INTERVAL };
    }
    const { secret: name, overlap, lifetime, authorityLifetime } = certificates;
    const secret = { name, namespace };
    const settings = { operator, purpose: 'webhooks', names, overlap, authorityLifetime, lifetime };
    return {
      certificates: new SecretCertificates({ client, clock: this.#clock, logger, secret, settings }),
      watched: [{ type: Secret, ...secret }],
      interval: Math.min(INTERVAL, overlap / 3),
    };
  }
}

const INTERVAL = 60_000;
