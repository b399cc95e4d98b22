import type { Notification } from '../../../src/brain/alerts/notification.ts';
import type { Incident } from '../../../src/brain/incident/incident.ts';
import type { Alert } from '../../../src/voice/alerts/alert.ts';

const at = Date.UTC(2026, 0, 1, 12);

/** An alert of which only this matters. */
export function anAlert(differences: Partial<Alert> = {}): Alert {
  return {
    id: '1f9c2a7e/shop/web#1/1',
    thread: '1f9c2a7e/shop/web#1',
    group: 'shop/web#1',
    severity: 'warning',
    status: 'firing',
    namespace: 'shop',
    service: 'web',
    uid: '1f9c2a7e-0000-4000-8000-000000000000',
    incident: 'web-1',
    stage: 'confirmed',
    condition: 'degraded',
    cause: 'it crashed',
    title: 'shop/web is not well',
    lines: ['is not well: 2 of 3 pods fail'],
    others: [{ name: 'shop/db', state: 'healthy' }],
    startedAt: new Date(at - 30_000).toISOString(),
    at: new Date(at).toISOString(),
    look: 'kubectl -n shop get incident web-1 -o yaml',
    ...differences,
  };
}

/** The brain's record of an incident of which only this matters. */
export function anIncident(differences: Partial<Incident> = {}): Incident {
  return {
    id: 'shop/web#1',
    stage: 'confirmed',
    stageSince: at,
    startedAt: at - 30_000,
    transitions: [],
    attempts: [],
    countsFrom: 0,
    relapses: 0,
    notices: [],
    givenUp: [],
    resumed: 0,
    impact: { condition: 'degraded', since: at, downMs: 0, degradedMs: 0 },
    reported: 0,
    notifiedAt: [],
    paged: false,
    ...differences,
  };
}

/** A notification of which only this matters. */
export function aNotification(differences: Partial<Notification> = {}): Notification {
  return {
    id: 'shop/web#1/2',
    service: 'shop/web',
    incident: 'shop/web#1',
    at,
    severity: 'warning',
    group: 'shop/web#1',
    transitions: [2],
    stage: 'confirmed',
    title: 'shop/web is not well',
    lines: ['is not well: 2 of 3 pods fail'],
    ...differences,
  };
}
