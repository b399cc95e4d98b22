/**
 * The healer's kinds, as much of them as a request needs: loading the definitions themselves takes longer than asking the
 * server. kinds.test.ts holds them to the definitions.
 */
import { resourceType } from '@kurator/client';
import type { Incident, Kurator, KuratorSwitch } from '@kurator/operator-kurator';

const apiVersion = 'kurator.sh/v1alpha1';

/** What the healer looks after, and how. */
export const kurators = resourceType<Kurator>(apiVersion, 'Kurator');
/** What happened to it. */
export const incidents = resourceType<Incident>(apiVersion, 'Incident');
export const switches = resourceType<KuratorSwitch>(apiVersion, 'KuratorSwitch', { namespaced: false });
/** There is one. */
export const switchName = 'cluster';
export type { Incident, Kurator, KuratorSwitch };
