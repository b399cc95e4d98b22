export { type ClusterOptions, inCluster, type Reached } from './connection.ts';
export { selectorText } from './label-selector.ts';
export { bare, isForPrograms, listOf, type OutputOptions, resourceName, serialised } from './output.ts';
