/** The cluster's record as it is kept: in one Lease, which is changed by compare-and-set alone. Beside it, what the operator asks for. */
import type { Lease } from '@kurator/sdk';
import type { ClusterRecord } from '../brain/record.ts';

const RECORD = 'database.kurator.sh/record';
export const DESIRED = 'database.kurator.sh/desired';

/** What the operator asks of the instances, beside what it writes into the record. */
export interface Desired {
  readonly parameters: Readonly<Record<string, string>>;
}

export function readRecord(lease: Lease | undefined): ClusterRecord | undefined {
  const text = lease?.metadata.annotations?.[RECORD];
  return text ? (JSON.parse(text) as ClusterRecord) : undefined;
}

export function readDesired(lease: Lease | undefined): Desired | undefined {
  const text = lease?.metadata.annotations?.[DESIRED];
  return text ? (JSON.parse(text) as Desired) : undefined;
}

/** The Lease with another record in it: its resource version says which one it follows. */
export function withRecord(lease: Lease, record: ClusterRecord): Lease {
  const annotations = { ...lease.metadata.annotations, [RECORD]: JSON.stringify(record) };
  // For those who look with kubectl: nothing is read from it.
  const spec = { ...lease.spec, holderIdentity: record.holder, leaseTransitions: record.epoch };
  return { ...lease, metadata: { ...lease.metadata, annotations }, spec };
}

/** Whether it is still the one that was read. */
export const isSameRecord = (a: ClusterRecord | undefined, b: ClusterRecord | undefined): boolean =>
  JSON.stringify(a) === JSON.stringify(b);
