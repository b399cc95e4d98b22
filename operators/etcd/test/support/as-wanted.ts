/** When a cluster is what its spec asks for. */
import { conditionOf } from '@kurator/sdk';
import type { EtcdCluster } from '../../src/index.ts';

/** All voters that are wanted, healthy, of the version that is wanted. */
export const isAsWanted = ({ spec, status, metadata }: EtcdCluster): boolean =>
  status?.phase === 'Running' &&
  status.size === spec.size &&
  status.currentVersion === spec.version &&
  status.observedGeneration === metadata.generation &&
  conditionOf(status.conditions, 'CertificatesReady')?.reason !== 'Rotating' &&
  (status.members ?? []).length === spec.size &&
  (status.members ?? []).every(({ healthy }) => healthy);
