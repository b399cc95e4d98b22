/** The documents by which clients find out that metrics.k8s.io/v1beta1 is there, and what it has. */
import { metricsApiVersion } from './metrics-objects.ts';

const version = { groupVersion: metricsApiVersion, version: 'v1beta1' };
const group = { name: 'metrics.k8s.io', versions: [version], preferredVersion: version };
const verbs = ['get', 'list'];

/** For `/apis`. */
export const groupListDocument = { kind: 'APIGroupList', apiVersion: 'v1', groups: [group] };

/** For `/apis/metrics.k8s.io`. */
export const groupDocument = { kind: 'APIGroup', apiVersion: 'v1', ...group };

/** For `/apis/metrics.k8s.io/v1beta1`. */
export const resourcesDocument = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: metricsApiVersion,
  resources: [
    { name: 'nodes', singularName: '', namespaced: false, kind: 'NodeMetrics', verbs },
    { name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs },
  ],
};

/** For `/openapi/v2`: nothing to describe, but without the document the aggregator complains for ever. */
export const openApiV2Document = {
  swagger: '2.0',
  info: { title: 'Kurator metrics', version: 'v1beta1' },
  paths: {},
};

/** For `/openapi/v3`. */
export const openApiV3Document = { paths: {} };
