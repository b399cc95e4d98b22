/** A real Kubernetes on this machine: binaries, control plane, nodes, images, faults. */
export type { Binaries, EtcdProgram, Program } from './binaries/program.ts';
export { type BinaryRequest, resolveBinaries } from './binaries/resolve.ts';
export { type EtcdRequest, resolveEtcd } from './binaries/resolve-etcd.ts';
export { defaultVersion, parseVersion } from './binaries/version.ts';
export type { Cluster } from './cluster/cluster.ts';
export type { ClusterConfig } from './cluster/cluster-config.ts';
export type { ClusterOptions } from './cluster/cluster-options.ts';
export { type CreatedCluster, createCluster, testCluster } from './cluster/create-cluster.ts';
export {
  type ClusterState,
  type ClusterSummary,
  listClusters,
  openCluster,
} from './cluster/open-cluster.ts';
export type { ClusterRegistry } from './cluster/supervisor/cluster-registry.ts';
export type { ClusterStatus, ComponentStatus } from './cluster/supervisor/status.ts';
export * from './crash/index.ts';
export { TestenvError, type TestenvErrorCode, type TestenvErrorOptions } from './error.ts';
export * from './faults/index.ts';
export * from './images/index.ts';
// The testing kit for authors of operators.
export { freePort } from './internal/free-port.ts';
export { type EventuallyOptions, eventually } from './kit/eventually.ts';
export { type LocalRegistry, localRegistry } from './kit/local-registry.ts';
export { ManualClock, settled } from './kit/manual-clock.ts';
export { describeRequest, type RecordedRequest, type RequestRecord, recordRequests } from './kit/record-requests.ts';
export { enforcePolicy, testUser } from './kit/rights.ts';
export { type ScopedOptions, type Startable, type TestScope, testScope } from './kit/test-scope.ts';
export { type CheckResult, type CheckState, isAble, type Purpose, purposes } from './preflight/check.ts';
export { mayInstall, missingNodePackages } from './preflight/consent.ts';
export { doctor } from './preflight/doctor.ts';
export { type NodePrerequisites, type PrepareOptions, prepareNodes } from './preflight/prepare-nodes.ts';
export { catchingProxy, withoutProxyForClusters } from './preflight/proxy.ts';
export { type Reporter, silent } from './reporter.ts';
export { sharedClient, startSharedControlPlane, testNamespace } from './shared-control-plane.ts';
