/**
 * An object as it came over the wire, parsed only as far as it must be: a cache needs an object's metadata now, and the
 * rest when somebody reads it, which may be never.
 */
import type { KubernetesObject, ObjectMeta } from '@kurator/client';

export class RawObject<T extends KubernetesObject> {
  readonly metadata: ObjectMeta;
  #parts: readonly Uint8Array[] | undefined;
  #object: T | undefined;

  private constructor(metadata: ObjectMeta, parts: readonly Uint8Array[] | undefined, object: T | undefined) {
    this.metadata = metadata;
    this.#parts = parts;
    this.#object = object;
  }

  /** From its JSON, in one piece or, where something was cut out of the middle, in two. */
  static fromJson<T extends KubernetesObject>(metadata: ObjectMeta, ...parts: Uint8Array[]): RawObject<T> {
    return new RawObject<T>(metadata, parts, undefined);
  }

  static fromObject<T extends KubernetesObject>(object: T): RawObject<T> {
    return new RawObject<T>(object.metadata, undefined, object);
  }

  /** The whole object; always the same one. */
  object(): T {
    this.#object ??= JSON.parse((this.#parts ?? []).map(textOf).join('')) as T;
    return this.#object;
  }

  /** Its JSON. */
  parts(): readonly Uint8Array[] {
    this.#parts ??= [Buffer.from(JSON.stringify(this.#object))];
    return this.#parts;
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
