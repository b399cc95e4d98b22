import type { KubernetesObject, Manifest, ResourceType } from '@kurator/client';

/** What every write takes. */
export interface WriteOptions {
  signal?: AbortSignal | undefined;
}

/** How a child is applied. */
export interface ApplyOptions extends WriteOptions {
  /**
   * Whose child it is: it is deleted with its owner, and a change of it has the owner reconciled. A child without a
   * namespace gets the owner's.
   */
  owner?: KubernetesObject;
  /** Takes over fields that others own, as a controller should; true unless given. Otherwise that is a conflict. */
  force?: boolean;
  /** Whether an object of this name may become the owner's child though it was made by somebody else. */
  adopt?: Adopt;
  /** For a child without an owner reference: throws where what is there already must not be touched. */
  refuse?: (live: KubernetesObject) => void;
}

/** True for whatever is there by that name, or what tells by the object; an object that has another controller never. */
export type Adopt = boolean | ((live: KubernetesObject) => boolean);

/** Makes an object exist and have these fields. */
export type Apply = <T extends KubernetesObject>(
  type: ResourceType<T>,
  manifest: Manifest<T>,
  options?: ApplyOptions,
) => Promise<T>;
