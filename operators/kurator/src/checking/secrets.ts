/** Secrets that checks need, read one by one: nobody keeps all Secrets of a cluster for a few certificate authorities. */
import { type Client, Secret } from '@kurator/sdk';
import type { Millis } from '../brain/time.ts';
import type { Mind } from '../healing/mind.ts';
import { isNotAllowed } from '../healing/optional-roles.ts';
import type { Kurator } from '../resources/kurator.ts';
import type { ReadSecret } from '../translating/probes.ts';

/** One that was changed is noticed after this long. */
const keptFor = 60_000;
const patience = 3000;

/** One that could not be read may soon be: somebody makes it, or allows it. */
const triedAgainAfter = 3000;

interface Entry {
  readonly at: Millis;
  readonly data: Readonly<Record<string, string>>;
  /** How the last try failed. */
  readonly failed?: 'not allowed' | 'otherwise';
}

type CheckFields = Kurator['spec']['checks'][number];

/** Reads Secrets, and keeps them for a while. */
export class Secrets {
  readonly #byName = new Map<string, Entry>();
  readonly #now: () => Millis;

  constructor(now: () => Millis) {
    this.#now = now;
  }

  /** Reads what a Kurator's checks refer to; what can't be read is not there. Notes whether the right to it is missing. */
  async load({ metadata, spec }: Kurator, mind: Mind, client: Client, signal: AbortSignal): Promise<ReadSecret> {
    const { namespace = '' } = metadata;
    const names = new Set(spec.checks.flatMap((check) => secretOf(check)?.name ?? []));
    const known = (name: string) => this.#byName.get(`${namespace}/${name}`);
    for (const name of names) await this.#read(namespace, name, client, signal);
    if ([...names].some((name) => known(name)?.failed === 'not allowed')) mind.missingRoles.add('secrets');
    else mind.missingRoles.delete('secrets');
    return ({ name, key }) => known(name)?.data[key];
  }

  async #read(namespace: string, name: string, client: Client, signal: AbortSignal): Promise<void> {
    const key = `${namespace}/${name}`;
    const known = this.#byName.get(key);
    if (known && this.#now() - known.at < (known.failed ? triedAgainAfter : keptFor)) return;
    try {
      const secret = await client.find(Secret, { name, namespace }, { timeout: patience, signal });
      const data = Object.entries(secret?.data ?? {}).map(([field, value]) => [
        field,
        Buffer.from(value, 'base64').toString('utf8'),
      ]);
      this.#byName.set(key, { at: this.#now(), data: Object.fromEntries(data) });
    } catch (error) {
      signal.throwIfAborted();
      const failed = isNotAllowed(error) ? 'not allowed' : 'otherwise';
      // What was read before is better than nothing.
      this.#byName.set(key, { at: this.#now(), data: known?.data ?? {}, failed });
    }
  }
}

/** The Secret that a check can't do without. */
export function secretOf({ http, grpc }: CheckFields): { name: string; key: string } | undefined {
  return (http ?? grpc)?.tls?.caFrom;
}
