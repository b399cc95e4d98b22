/** Talks to one Kubernetes API server: kubeconfig, authentication, requests, watches. Knows no controller. */
export { type Client, createClient } from './client.ts';
export type { ClientConfig, ExecPlugin, Impersonation } from './config.ts';
export { type CopyOptions, copyFromPod, copyToPod } from './copy.ts';
export { formatDuration, parseDuration } from './duration.ts';
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
  messageOf,
} from './error.ts';
export type { Execution, TerminalSize } from './execution.ts';
export type { Scale } from './generated/autoscaling/v1.ts';
export { type InClusterOptions, inClusterConfig } from './in-cluster.ts';
export type { HttpMethod } from './internal/http.ts';
export * from './kinds.ts';
export { type KubeconfigOptions, kubeconfigFromYaml, loadKubeconfig } from './kubeconfig.ts';
export { type LoadConfigOptions, loadConfig } from './load-config.ts';
export { microTime, parseMicroTime } from './micro-time.ts';
export type { MissingRule } from './missing-rule.ts';
export type * from './object.ts';
export type * from './options.ts';
export { type ListenOptions, listenForPod, type PortListener } from './port-forward.ts';
export {
  formatQuantity,
  parseQuantity,
  type Quantity,
  type QuantityFormat,
  quantityToInteger,
  quantityToNumber,
} from './quantity.ts';
export {
  type DiscoveredType,
  type ObjectReference,
  type ResourceType,
  type ResourceTypeOptions,
  resourceType,
  untyped,
} from './resource-type.ts';
export { compareResourceVersions, resourceVersionsAreOrdered } from './resource-version.ts';
export { type RunInPodOptions, type RunResult, runInPod } from './run-in-pod.ts';
export {
  describedVersion,
  parseServerVersion,
  type ServerVersion,
  serverVersion,
  versionSkew,
} from './server-version.ts';
export {
  type EvictOptions,
  evict,
  getScale,
  type IssuedToken,
  isDisruptionBudget,
  requestToken,
  setScale,
  type TokenOptions,
} from './subresources.ts';
export { type WaitOptions, waitFor, waitUntilGone } from './wait.ts';
export { type Bookmark, isInitialEventsEnd, type WatchEvent } from './watch-event.ts';
