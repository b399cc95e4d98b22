/** The metrics.k8s.io API, for `kubectl top` and the HorizontalPodAutoscaler, from what the kubelets say. */
export { startMetricsServer } from './metrics-server.ts';
export { metricsServerNames, registerMetricsApi } from './register.ts';
