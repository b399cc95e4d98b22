/**
 * A client through which an operator writes until it dies: for each service by itself, before or after its so-manieth
 * write about it. From then on nothing of that operator reaches the API server about that service; the next operator
 * finds what was left. So one operator can die at many points at once, each in another service's repair.
 */
import type { Client, KubernetesObject, ResourceType } from '@kurator/sdk';

/** At which write of a repair, and whether it still reached the API server. */
export interface Death {
  readonly at: number;
  readonly when: 'before' | 'after';
}

/** One write that the API server has taken. */
export interface Deed {
  readonly service: string;
  readonly what: string;
  /** What it was done to. */
  readonly object: string;
}

/** Everything that operators have written about services, whoever they were. */
export class Ledger {
  readonly deeds: Deed[] = [];
  /** How many writes of each service were asked for since its repair began. */
  readonly #asked = new Map<string, number>();
  readonly #dead = new Map<string, string>();

  /** Writes count from now on: what came before is not part of the repair. */
  begin(services: Iterable<string>): void {
    for (const service of services) this.#asked.set(service, 0);
  }

  asked(service: string): number {
    return this.#asked.get(service) ?? 0;
  }

  /** The write at which an operator has died, by service. */
  get deaths(): ReadonlyMap<string, string> {
    return this.#dead;
  }

  of(service: string): Deed[] {
    return this.deeds.filter((deed) => deed.service === service);
  }

  /** @param deaths By service; those that are not in it are written about for ever. */
  client(client: Client, deaths: ReadonlyMap<string, Death> = new Map()): Client {
    const write = async <R>(
      type: ResourceType,
      object: Named,
      options: Options,
      send: () => Promise<R>,
    ): Promise<R> => {
      const { name = '' } = object;
      const service = serviceOf(type, name);
      if (service === undefined || !this.#asked.has(service)) return await send();
      const what = `${type.kind}${options?.subresource ? `/${options.subresource}` : ''}`;
      if (deaths.has(service) && this.#dead.has(service)) throw new Error('this operator is dead');
      const count = this.asked(service) + 1;
      this.#asked.set(service, count);
      const death = deaths.get(service);
      const isLast = death?.at === count;
      if (isLast) this.#dead.set(service, `${death.when} ${what}`);
      if (isLast && death.when === 'before') throw new Error('this operator has died');
      const answer = await send();
      this.deeds.push({ service, what, object: name });
      if (isLast) throw new Error('this operator has died');
      return answer;
    };
    return {
      ...client,
      create: ((type, object, options) =>
        write(type, object.metadata, options, () => client.create(type, object, options))) as Client['create'],
      patch: ((type, reference, patch, options) =>
        write(type, reference, options, () => client.patch(type, reference, patch, options))) as Client['patch'],
      apply: ((type, object, options) =>
        write(type, object.metadata, options, () => client.apply(type, object, options))) as Client['apply'],
      delete: ((type, reference, options) =>
        write(type, reference, undefined, () => client.delete(type, reference, options))) as Client['delete'],
    };
  }
}

interface Named {
  readonly name?: string | undefined;
}
type Options = { readonly subresource?: string | undefined } | undefined;

/** Services have names without a hyphen here, so that what belongs to one is known by what it is called. */
function serviceOf({ kind }: Pick<ResourceType<KubernetesObject>, 'kind'>, name: string): string | undefined {
  return ['Kurator', 'Incident', 'Pod', 'Deployment'].includes(kind) ? name.split('-')[0] : undefined;
}
