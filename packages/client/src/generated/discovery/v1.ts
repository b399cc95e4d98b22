// Generated from the OpenAPI document of Kubernetes by scripts/generate-types.ts: do not edit.
import type { KubernetesObject } from '../../object.ts';
import { resourceType } from '../../resource-type.ts';
import type { ObjectReference } from '../core/v1.ts';

/** Endpoint represents a single logical "backend" implementing a service. */
export interface Endpoint {
  /** addresses of this endpoint. For EndpointSlices of addressType "IPv4" or "IPv6", the values are IP addresses in canonical form. */
  addresses: string[];
  /** conditions contains information about the current status of the endpoint. */
  conditions?: EndpointConditions;
  /** deprecatedTopology contains topology information part of the v1beta1 API. */
  deprecatedTopology?: Record<string, string>;
  /** hints contains information associated with how an endpoint should be consumed. */
  hints?: EndpointHints;
  /** hostname of this endpoint. This field may be used by consumers of endpoints to distinguish endpoints from each other (e.g. */
  hostname?: string;
  /** nodeName represents the name of the Node hosting this endpoint. */
  nodeName?: string;
  /** targetRef is a reference to a Kubernetes object that represents this endpoint. */
  targetRef?: ObjectReference;
  /** zone is the name of the Zone this endpoint exists in. */
  zone?: string;
}

/** EndpointConditions represents the current condition of an endpoint. */
export interface EndpointConditions {
  /** ready indicates that this endpoint is ready to receive traffic, according to whatever system is managing the endpoint. */
  ready?: boolean;
  /** serving indicates that this endpoint is able to receive traffic, according to whatever system is managing the endpoint. */
  serving?: boolean;
  /** terminating indicates that this endpoint is terminating. A nil value should be interpreted as "false". */
  terminating?: boolean;
}

/** EndpointHints provides hints describing how an endpoint should be consumed. */
export interface EndpointHints {
  /** forNodes indicates the node(s) this endpoint should be consumed by when using topology aware routing. */
  forNodes?: ForNode[];
  /** forZones indicates the zone(s) this endpoint should be consumed by when using topology aware routing. */
  forZones?: ForZone[];
}

/** EndpointPort represents a Port used by an EndpointSlice */
export interface EndpointPort {
  /** The application protocol for this port. This is used as a hint for implementations to offer richer behavior for protocols that they understand. */
  appProtocol?: string;
  /** name represents the name of this port. All ports in an EndpointSlice must have a unique name. */
  name?: string;
  /** port represents the port number of the endpoint. If the EndpointSlice is derived from a Kubernetes service, this must be set to the service's target port. */
  port?: number;
  /** protocol represents the IP protocol for this port. Must be UDP, TCP, or SCTP. */
  protocol?: 'SCTP' | 'TCP' | 'UDP';
}

/** EndpointSlice represents a set of service endpoints. Most EndpointSlices are created by the EndpointSlice controller to represent the Pods selected by Service objects. */
export interface EndpointSlice extends KubernetesObject {
  /** addressType specifies the type of address carried by this EndpointSlice. */
  addressType: 'FQDN' | 'IPv4' | 'IPv6';
  /** endpoints is a list of unique endpoints in this slice. Each slice may include a maximum of 1000 endpoints. */
  endpoints?: Endpoint[];
  /** ports specifies the list of network ports exposed by each endpoint in this slice. */
  ports?: EndpointPort[];
}
export const EndpointSlice = resourceType<EndpointSlice>('discovery.k8s.io/v1', 'EndpointSlice');

/** ForNode provides information about which nodes should consume this endpoint. */
export interface ForNode {
  /** name represents the name of the node. */
  name: string;
}

/** ForZone provides information about which zones should consume this endpoint. */
export interface ForZone {
  /** name represents the name of the zone. */
  name: string;
}
