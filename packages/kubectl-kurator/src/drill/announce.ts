/** A drill is no secret: Events on the Kurator say when it begins and how it ends, and its Incident is marked. */
import { type Client, Event, isNotFound } from '@kurator/client';
import { type Incident, incidents, type Kurator } from '../healer/kinds.ts';
import { drillAnnotation } from './mark.ts';

const reportingComponent = 'kurator-drill';

/** @param reason `DrillStarted` or `DrillEnded`. */
export async function announce(client: Client, kurator: Kurator, reason: string, message: string): Promise<void> {
  const { name, namespace = 'default', uid } = kurator.metadata;
  const at = new Date().toISOString();
  const { apiVersion, kind } = kurator;
  await client.create(Event, {
    metadata: { generateName: `${name}-drill-`, namespace },
    involvedObject: { apiVersion, kind, name, namespace, ...(uid && { uid }) },
    type: 'Normal',
    reason,
    message,
    reportingComponent,
    source: { component: reportingComponent },
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
  });
}

/** Whoever reads it later sees that it was made on purpose. */
export async function markIncident(client: Client, { metadata }: Incident, drill: string): Promise<void> {
  const patch = { metadata: { annotations: { [drillAnnotation]: drill } } };
  await client.patch(incidents, metadata, patch, { fieldManager: reportingComponent }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}
