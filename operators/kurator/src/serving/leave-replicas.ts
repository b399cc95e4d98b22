/**
 * Replicas that the spec doesn't give belong to whoever sets them: an autoscaler, or `kubectl scale`. A field that we
 * applied once and apply no more is removed by the server, and replicas would fall to 1: so it is let go of first.
 */
import { fieldManager, type Round } from '../healing/case.ts';
import { targetOf } from '../healing/scene.ts';
import { appliedFields, withoutFields } from './managed-fields.ts';

/** Costs one request for each version of a Kurator, and none where replicas are given. */
export async function leaveReplicas({
  kurator,
  context,
  mind,
}: Pick<Round, 'kurator' | 'context' | 'mind'>): Promise<void> {
  const { generation } = kurator.metadata;
  if (mind.replicasLeftAt === generation) return;
  const { type, name } = targetOf(kurator);
  const { client, signal } = context;
  const live = await client.find(type, { name, namespace: kurator.metadata.namespace }, { signal });
  const { managedFields = [], uid, resourceVersion } = live?.metadata ?? {};
  if (live && appliedFields(managedFields, fieldManager)['f:spec']?.['f:replicas']) {
    const fields = withoutFields(managedFields, fieldManager, ({ 'f:spec': spec, ...rest }) => {
      const { 'f:replicas': _, ...left } = spec ?? {};
      return { ...rest, 'f:spec': left };
    });
    const patch = { metadata: { uid, resourceVersion, managedFields: fields } };
    await client.patch(type, live.metadata, patch, { fieldManager, signal });
  }
  mind.replicasLeftAt = generation;
}
