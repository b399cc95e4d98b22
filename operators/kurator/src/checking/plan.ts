/** Which checks a Kurator's instances and its Service need now. */
import type { Pod } from '@kurator/sdk';
import { theService } from '../brain/observation.ts';
import type { ServiceSpec } from '../brain/spec.ts';
import type { Probe } from '../checks/check.ts';
import type { Scene } from '../healing/scene.ts';
import type { Reach } from '../network/reach.ts';
import type { Kurator } from '../resources/kurator.ts';
import { probeOf, type ReadSecret } from '../translating/probes.ts';
import type { PlannedCheck } from './checkups.ts';
import { secretOf } from './secrets.ts';

/** Every check against every instance that can be asked, and against the Service. */
export function planOf(
  kurator: Kurator,
  spec: ServiceSpec,
  scene: Scene,
  { readSecret, reach }: { readSecret: ReadSecret; reach: Reach },
): PlannedCheck[] {
  return kurator.spec.checks.flatMap((fields): PlannedCheck[] => {
    const check = spec.checks.find(({ name }) => name === fields.name);
    const secret = secretOf(fields);
    // Without the authority that a person named, whatever the check found would be about us.
    if (!check || (secret && readSecret(secret) === undefined)) return [];
    if (check.through === 'service') {
      const probe = scene.service && probeOf(fields, { service: scene.service }, readSecret);
      return probe ? [{ target: theService, check, probe: permitted(probe, reach) }] : [];
    }
    return scene.pods
      .filter((pod) => canBeAsked(pod, scene))
      .flatMap((pod) => {
        const probe = probeOf(fields, { pod }, readSecret);
        return probe ? [{ target: pod.metadata.uid ?? '', check, probe: permitted(probe, reach) }] : [];
      });
  });
}

/** Kubernetes gives these addresses, so they are no names that could mean another one later. */
function permitted(probe: Probe, reach: Reach): Probe {
  return probe.kind !== 'exec' && reach.refuses(probe.host, 'assigned') ? { ...probe, isRefused: true } : probe;
}

/**
 * One that is ending has nothing to prove, and its address may soon be another's. Not so on a node that is not heard of:
 * there it may run on without end, and nobody but itself can say so.
 */
function canBeAsked({ metadata, spec, status }: Pod, { nodes }: Scene): boolean {
  if (status?.phase !== 'Running') return false;
  const isUnheard = () =>
    nodes.some(({ name, gone, ready }) => name === spec?.nodeName && !gone && ready === 'unknown');
  return metadata.deletionTimestamp === undefined || isUnheard();
}
