/**
 * What is heard between the reconciles, and has checks run at once: warnings about pods, and changes of the endpoints of
 * Services that checks go through.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type CompanionContext, EndpointSlice, Event, type KubernetesObject, Pod } from '@kurator/sdk';
import { theService } from '../brain/observation.ts';
import type { Checkups } from '../checking/checkups.ts';
import { type Hearing, hear } from '../checking/hear.ts';
import { Kurator } from '../resources/kurator.ts';
import { kuratorsOfPod } from './concerned.ts';
import { type Minds, nameOf } from './mind.ts';
import type { Look } from './scene.ts';

const serviceName = 'kubernetes.io/service-name';
/** In milliseconds, each after the one before. What has changed here, kube-proxies follow a little later: a look at once alone would see the past. */
const looksAfterEndpoints = [0, 1000, 5000, 20_000, 40_000];

/** What of an operator has to do with what is heard. */
export interface Listener {
  readonly look: Look | undefined;
  readonly minds: Minds;
  readonly checkups: Checkups;
}

/** Listens for one operator. */
export class Listening {
  readonly #listener: Listener;
  /** Who is looked at again and again for a while, by name. */
  readonly #again = new Map<string, AbortController>();

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  /** Until the signal fires. */
  async run(
    { manager, namespaces }: Pick<CompanionContext, 'manager' | 'namespaces'>,
    signal: AbortSignal,
  ): Promise<void> {
    const everywhere: readonly (string | undefined)[] = namespaces ?? [undefined];
    const listenTo = <T extends KubernetesObject>({ selection, ...rest }: Omit<Hearing<T>, 'onTrouble'>) =>
      everywhere.map((namespace) => {
        const about = { kind: rest.type.kind, namespace };
        const onTrouble = (error: unknown) =>
          manager.logger.warn({ ...about, error }, 'what happens is not heard: it is tried again');
        return hear(manager.client, { ...rest, selection: { ...selection, namespace }, onTrouble }, signal);
      });
    await Promise.all([
      ...listenTo<Event>({
        type: Event,
        selection: { fieldSelector: 'type=Warning,involvedObject.kind=Pod' },
        // Those that are deleted are an hour old.
        onNews: (event, what) => (what === 'DELETED' ? undefined : this.#onWarning(event)),
      }),
      ...listenTo<EndpointSlice>({
        type: EndpointSlice,
        selection: { metadataOnly: true },
        onNews: (slice) => this.#onEndpoints(slice, signal),
      }),
    ]);
  }

  #onWarning({ involvedObject }: Event): void {
    const { look } = this.#listener;
    const { name, namespace, uid } = involvedObject;
    const pod = look && name ? look.get(Pod, { name, namespace }) : undefined;
    if (!look || !uid || pod?.metadata.uid !== uid) return;
    for (const kurator of kuratorsOfPod(pod, look)) this.#lookNow(nameOf(kurator), uid, theService);
  }

  #onEndpoints({ metadata }: EndpointSlice, signal: AbortSignal): void {
    const { look, minds } = this.#listener;
    const { namespace = '', labels } = metadata;
    for (const kurator of look?.byIndex(Kurator, 'throughService', namespace) ?? []) {
      const name = nameOf(kurator);
      if (minds.get(name)?.service === labels?.[serviceName]) void this.#lookAgain(name, signal);
    }
  }

  /** Begins anew with each change, so that many of them cost little more than one. */
  async #lookAgain(name: string, signal: AbortSignal): Promise<void> {
    this.#again.get(name)?.abort();
    const own = new AbortController();
    this.#again.set(name, own);
    const either = AbortSignal.any([signal, own.signal]);
    for (const pause of looksAfterEndpoints) {
      await delay(pause, undefined, { signal: either, ref: false }).catch(() => {});
      if (either.aborted) return;
      this.#lookNow(name, theService);
    }
    this.#again.delete(name);
  }

  #lookNow(name: string, ...targets: string[]): void {
    const mind = this.#listener.minds.get(name);
    if (mind) this.#listener.checkups.lookNow(mind, new Set(targets));
  }
}
