/** A cluster as faults see it: what its supervisor holds of it is more, and none of their business. */
import type { Client } from '@kurator/client';
import type { ClusterIdentity } from '../../machines/cgroups.ts';
import type { Component } from '../../machines/component.ts';
import type { Machine } from '../../machines/machine.ts';
import type { Network } from '../../machines/network.ts';

export interface TargetNode {
  readonly name: string;
  /** From 1. */
  readonly number: number;
  readonly machine: Machine;
  /** Power back after `machine.powerOff()`: everything that ran starts again. */
  powerOn(): Promise<void>;
}

export interface TargetCluster {
  readonly config: ClusterIdentity;
  readonly folder: string;
  /** Its client is the administrator's. */
  readonly controlPlane: { readonly client: Client };
  /** Undefined for a control plane alone. */
  readonly network: Network | undefined;
  readonly controlPlaneMachine: Machine | undefined;
  readonly nodes: readonly TargetNode[];
  components(): Component[];
}
