/** Faults for a running cluster: typed requests, and the methods that make and heal them. */
export type { FaultRecord } from './fault-record.ts';
export {
  describeFault,
  type FaultKindName,
  type FaultRequest,
  faultKinds,
  fieldsOf,
  parseFaultRequest,
  type RequestOf,
} from './fault-request.ts';
export type { EndpointLike, FaultHandle, FaultOptions, Faults, PodObject } from './faults.ts';
export {
  type HangRequest,
  type NodeComponent,
  nodeComponents,
  type PlaneComponent,
  type PowerOffRequest,
  planeComponents,
  type StopRequest,
} from './requests/components.ts';
export type { DelayRequest, RefuseRequest } from './requests/connections.ts';
export type { Duration } from './requests/duration.ts';
export {
  type AddressEndpoint,
  type Endpoint,
  type NodeEndpoint,
  type OneOrMore,
  type PodEndpoint,
  parseEndpoint,
} from './requests/endpoint.ts';
export type { ContainerTarget, FaultBase, FaultKind } from './requests/fault-kind.ts';
export type { Check, Field } from './requests/field.ts';
export type { DropRequest, PartitionRequest, UnplugRequest } from './requests/packets.ts';
export type { FreezeRequest, KillRequest } from './requests/processes.ts';
export type { BurnCpuRequest, BurnMemoryRequest, FillRequest } from './requests/resources.ts';
