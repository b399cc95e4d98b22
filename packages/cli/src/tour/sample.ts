/** What the tour runs: two copies of a tiny web server, and a Service in front of them. */
import type { Deployment, Manifest, Service } from '@kurator/client';
import { BUSYBOX_IMAGE } from '@kurator/testenv';

export const sample = {
  name: 'hello',
  namespace: 'default',
  replicas: 2,
  url: 'http://hello.default.svc.cluster.local',
};

const labels = { app: sample.name };
const metadata = { name: sample.name, namespace: sample.namespace, labels };
const PORT = 8080;

const serve = [
  'mkdir -p /www',
  'echo "Hello from $(hostname)" > /www/index.html',
  `echo "$(hostname) serves on port ${PORT}"`,
  `exec httpd -f -vv -p ${PORT} -h /www`,
].join(' && ');

export const sampleDeployment: Manifest<Deployment> = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata,
  spec: {
    replicas: sample.replicas,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'web',
            image: BUSYBOX_IMAGE,
            command: ['sh', '-c', serve],
            ports: [{ containerPort: PORT }],
            readinessProbe: { tcpSocket: { port: PORT }, periodSeconds: 1 },
          },
        ],
      },
    },
  },
};

export const sampleService: Manifest<Service> = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata,
  spec: { selector: labels, ports: [{ port: 80, targetPort: PORT }] },
};
