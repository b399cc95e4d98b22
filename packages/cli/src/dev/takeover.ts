/** Lets a desk run an operator that is deployed in the same cluster: the deployment rests meanwhile, and works again afterwards. */
import { hostname } from 'node:os';
import { type Client, Deployment } from '@kurator/client';
import { CliError } from '@kurator/command';
import type { DevSettings, LoadedOperator } from './messages.ts';
import { REPLICAS_ANNOTATION, type Rivals, rivalsOf } from './rivals.ts';

const FIELD_MANAGER = 'kurator-dev';

/** What a desk is told about its rivals. */
export interface TakeoverOptions {
  readonly client: Client;
  /** Whether they are to give way; otherwise they are a reason not to start. */
  readonly takeover: boolean;
  readonly signal: AbortSignal;
  say(text: string): void;
}

/** Keeps an operator from being run twice. */
export class Takeover {
  readonly #options: TakeoverOptions;
  /** By uid: what was put to rest by this desk. */
  readonly #resting = new Map<string, Deployment>();
  #hasTold = false;
  readonly #identity = `dev_${hostname()}_${process.pid}`;

  constructor(options: TakeoverOptions) {
    this.#options = options;
  }

  /** Makes way, or refuses; then says how to campaign for the Lease. */
  async prepare(operator: LoadedOperator): Promise<Pick<DevSettings, 'identity' | 'leaseNamespace'>> {
    const { client, takeover, signal, say } = this.#options;
    const rivals = await rivalsOf(client, operator, this.#identity, signal);
    if (rivals.titles.length > 0 && !takeover) throw deployed(operator, rivals);
    if (rivals.unseen.length > 0 && !this.#hasTold) say(notSure(operator, rivals));
    this.#hasTold = true;
    for (const deployment of rivals.deployments) {
      if (this.#resting.has(deployment.metadata.uid ?? '')) continue;
      await this.#rest(deployment);
      say(`Deployment ${nameOf(deployment)} is idle while this runs, and works again afterwards`);
    }
    const leaseNamespace = rivals.leaseNamespace ?? client.config.namespace ?? 'default';
    return { identity: this.#identity, leaseNamespace };
  }

  /** Lets what rests work again; what fails is told, and the rest goes on. Not stopped by Ctrl-C, which is why it is called. */
  async end(): Promise<void> {
    for (const deployment of this.#resting.values()) {
      await this.#wake(deployment).catch((error: Error) => this.#options.say(stillResting(deployment, error)));
    }
  }

  async #wake({ metadata }: Deployment): Promise<void> {
    const { client, say } = this.#options;
    const live = await client.find(Deployment, metadata);
    const replicas = live?.metadata.annotations?.[REPLICAS_ANNOTATION];
    if (!live || live.metadata.uid !== metadata.uid || replicas === undefined) return;
    const scale = live.spec?.replicas === 0 ? { spec: { replicas: Number(replicas) } } : {};
    const patch = { metadata: { annotations: { [REPLICAS_ANNOTATION]: null } }, ...scale };
    await client.patch(Deployment, metadata, patch, { fieldManager: FIELD_MANAGER });
    say(`Deployment ${nameOf(live)} works again`);
  }

  async #rest(deployment: Deployment): Promise<void> {
    const { metadata, spec } = deployment;
    // What an earlier desk wrote, and could not put back, is what counts.
    const before = metadata.annotations?.[REPLICAS_ANNOTATION] ?? String(spec?.replicas ?? 1);
    const patch = { metadata: { annotations: { [REPLICAS_ANNOTATION]: before } }, spec: { replicas: 0 } };
    await this.#options.client.patch(Deployment, metadata, patch, { fieldManager: FIELD_MANAGER });
    this.#resting.set(metadata.uid ?? '', deployment);
  }
}

function nameOf({ metadata: { namespace, name } }: Deployment): string {
  return `${namespace}/${name}`;
}

function stillResting({ metadata: { namespace, name } }: Deployment, { message }: Error): string {
  const asItWas = `kubectl scale deployment -n ${namespace} ${name} --replicas=…, as its annotation ${REPLICAS_ANNOTATION} says`;
  return `Deployment ${namespace}/${name} is still idle: ${message}\n  fix: ${asItWas}`;
}

/** The Lease does not help where it is not seen: that of a deployment may be in another namespace than ours. */
function notSure({ name }: LoadedOperator, { unseen }: Rivals): string {
  return `whether somebody runs ${name} already is not known: this user may not look at each ${unseen.join(', ')}`;
}

function deployed({ name }: LoadedOperator, { titles }: Rivals): CliError {
  return new CliError('KUR_CLI_DEPLOYED', `somebody runs ${name} against this cluster already: ${titles.join(', ')}`, {
    remedy: 'use a cluster of your own (--local, --context), or give --takeover: it is idle while this runs',
  });
}
