/** What must be kept on a node's disk for one PersistentVolume. */
export interface VolumeRequest {
  /** The PersistentVolume's name; safe as a file name. */
  readonly name: string;
  /** How much it may hold. */
  readonly bytes: bigint;
}

/** Makes and removes volumes on one node. Every method may be called again after it failed, or after a crash. */
export interface VolumeHost {
  readonly node: string;
  /** Makes the volume unless it is there, and returns the path under which the node's kubelet finds it. */
  create(volume: VolumeRequest): Promise<string>;
  /** Deletes the volume with its data; one that isn't there is fine. */
  remove(name: string): Promise<void>;
  /** The names of all volumes on the node's disk, also while the node is off. */
  list(): Promise<string[]>;
  /** Bytes that are free on the disk that holds the volumes. */
  freeBytes(): Promise<bigint>;
  /** Mounts what a restart of the node has unmounted; call it before the kubelet starts. */
  restore(): Promise<void>;
}
