/**
 * The healer's kinds, as much of them as a request needs: loading the definitions themselves takes longer than asking the
 * server. kinds.test.ts holds them to the definitions.
 */
import { resourceType } from '@kurator/client';
import type { Incident, Kurator } from '@kurator/operator-kurator';

const apiVersion = 'kurator.sh/v1alpha1';

export const kurators = resourceType<Kurator>(apiVersion, 'Kurator');
export const incidents = resourceType<Incident>(apiVersion, 'Incident');
export type { Incident, Kurator };
