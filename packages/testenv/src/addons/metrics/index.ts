/** The metrics.k8s.io API, for `kubectl top` and the HorizontalPodAutoscaler, from what the kubelets say. */
export { type MetricsServer, type MetricsServerOptions, startMetricsServer } from './metrics-server.ts';
export { type MetricsEndpoint, metricsServerNames, registerMetricsApi } from './register.ts';
export type { KubeletAddress, KubeletCredentials } from './scraper.ts';
