/** Talks to one Kubernetes API server: kubeconfig, authentication, requests, watches. Knows no controller. */
export { type Client, createClient } from './client.ts';
export type { ClientConfig } from './config.ts';
export {
  ClientError,
  type ClientErrorCode,
  type ClientErrorDetails,
  type FieldCause,
  hasCode,
  isAlreadyExists,
  isConflict,
  isExpired,
  isNotFound,
} from './error.ts';
export type { HttpMethod } from './internal/transport.ts';
export * from './kinds/cluster.ts';
export * from './kinds/core.ts';
export * from './kinds/metrics.ts';
export * from './kinds/storage.ts';
export * from './kinds/workloads.ts';
export { type KubeconfigOptions, kubeconfigFromYaml, loadKubeconfig } from './kubeconfig.ts';
export type * from './object.ts';
export type * from './options.ts';
export {
  formatQuantity,
  parseQuantity,
  type Quantity,
  type QuantityFormat,
  quantityToInteger,
  quantityToNumber,
} from './quantity.ts';
export { type ObjectReference, type ResourceType, type ResourceTypeOptions, resourceType } from './resource-type.ts';
export { type WaitOptions, waitFor, waitUntilGone } from './wait.ts';
export type { Bookmark, WatchEvent } from './watch-event.ts';
