/**
 * The changes of a soak: a crowd of Echo objects, of which one after the other is touched. Most changes are none for
 * the operator (an annotation), every tenth is (the message), and every hundredth puts an object with a name never seen
 * before in place of another, so that whatever is remembered by name has a chance to leak.
 */
import { type Client, ConfigMap, isNotFound } from '@kurator/client';
import { Echo } from '../subjects/echo.ts';

/** What one change does. */
export type Change = 'annotate' | 'message' | 'replace';

/** Which change the i-th is. */
export function changeAt(i: number): Change {
  if (i % 100 === 99) return 'replace';
  return i % 10 === 0 ? 'message' : 'annotate';
}

/** The objects, each known by its place. */
export class Crowd {
  readonly size: number;
  readonly #client: Client;
  readonly #namespace: string;
  readonly #replaced: Uint32Array;

  constructor(client: Client, namespace: string, size: number) {
    this.size = size;
    this.#client = client;
    this.#namespace = namespace;
    this.#replaced = new Uint32Array(size);
  }

  /** Puts an object in a place that is empty. */
  async fill(place: number): Promise<void> {
    await this.#client.create(Echo, { metadata: this.#reference(place), spec: { message: 'hello' } });
  }

  /** Makes the i-th change, to the object that has been left alone for longest. */
  async change(i: number): Promise<void> {
    const place = i % this.size;
    // Else the same places would be replaced forever, as long as the size is a multiple of a hundred.
    const kind = changeAt(i + Math.floor(i / this.size));
    const reference = this.#reference(place);
    if (kind === 'replace') return await this.#replace(place, reference);
    const patch =
      kind === 'message'
        ? { spec: { message: `change ${i}` } }
        : { metadata: { annotations: { 'bench.kurator.dev/touched': String(i) } } };
    await this.#client.patch(Echo, reference, patch);
  }

  async #replace(place: number, old: { name: string; namespace: string }): Promise<void> {
    await this.#client.delete(Echo, old);
    // Kubernetes' garbage collector would do this; it is part of the controller manager, which does not run here.
    await this.#client.delete(ConfigMap, old).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
    this.#replaced[place] = (this.#replaced[place] ?? 0) + 1;
    await this.fill(place);
  }

  #reference(place: number) {
    return { name: `echo-${place}-${this.#replaced[place] ?? 0}`, namespace: this.#namespace };
  }
}
