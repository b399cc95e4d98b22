/** The record at the API server: read of the server itself, and changed by compare-and-set alone. */
import { type Client, Lease } from '@kurator/sdk';
import type { ClusterRecord } from '../brain/record.ts';
import { type Desired, isSameRecord, readDesired, readRecord, withRecord } from './lease-record.ts';

/** Longer than that an answer is of no use: what it says is over. */
const PATIENCE = 3000;

export interface Reading {
  readonly record: ClusterRecord | undefined;
  readonly desired: Desired | undefined;
}

export class LeaseStore {
  readonly #client: Client;
  readonly #reference: { readonly name: string; readonly namespace: string };

  constructor(client: Client, name: string, namespace: string) {
    this.#client = client;
    this.#reference = { name, namespace };
  }

  /** Undefined where the API server gives no answer. */
  async read(): Promise<Reading | undefined> {
    const lease = await this.#get().catch(() => undefined);
    return lease && { record: readRecord(lease), desired: readDesired(lease) };
  }

  /** What is written then; undefined if nothing was: it is no longer the one that was seen, or nobody answers. */
  async replace(seen: ClusterRecord | undefined, next: ClusterRecord): Promise<ClusterRecord | undefined> {
    const lease = await this.#get().catch(() => undefined);
    if (!lease || !isSameRecord(readRecord(lease), seen)) return undefined;
    return await this.#client.replace(Lease, withRecord(lease, next), options()).then(
      () => next,
      () => undefined,
    );
  }

  async #get(): Promise<Lease> {
    return await this.#client.get(Lease, this.#reference, options());
  }
}

const options = () => ({ signal: AbortSignal.timeout(PATIENCE), retries: 0 });
