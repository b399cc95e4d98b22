/** A static web site: its pages, the servers that show them, and the name they are found by. */
import {
  ConfigMap,
  checksum,
  child,
  Deployment,
  type ObjectOf,
  operator,
  Pod,
  resource,
  rolloutCondition,
  Service,
  z,
} from '@kurator/sdk';

export const WebServer = resource({
  group: 'example.com',
  version: 'v1alpha1',
  kind: 'WebServer',
  shortNames: ['web'],
  spec: z.object({
    replicas: z.int().min(0).default(1),
    /** Anything that has busybox's httpd in it. */
    image: z.string().min(1).default('busybox:stable'),
    /** File names and what is in them. */
    pages: z.record(z.string(), z.string()),
  }),
  status: z.object({ readyReplicas: z.int(), address: z.string() }),
  columns: { Replicas: '.spec.replicas', Ready: '.status.readyReplicas', Address: '.status.address' },
});

type WebServer = ObjectOf<typeof WebServer>;

const label = 'example.com/webserver';

export const webserver = operator()
  .controller(WebServer)
  .owns(ConfigMap, { labels: label })
  .owns(Service, { labels: label })
  .owns(Deployment, { labels: label })
  .watches(Pod, (pod) => pod.metadata.labels?.[label], { labels: label })
  .reconcile(async (site, { applyAll, list }) => {
    const { name, namespace } = site.metadata;
    const { deployment } = await applyAll({
      pages: child(ConfigMap, pagesOf(site), { exact: ['data'] }),
      service: child(Service, serviceOf(site)),
      deployment: child(Deployment, deploymentOf(site)),
    });
    const readyReplicas = deployment.status?.readyReplicas ?? 0;
    return {
      status: { readyReplicas, address: `http://${name}.${namespace}.svc` },
      conditions: [rolloutCondition(deployment, list(Pod, { labels: labelsOf(site) }))],
    };
  });

const PORT = 8080;

const labelsOf = ({ metadata }: WebServer) => ({ [label]: metadata.name });
const metadataOf = (site: WebServer) => ({ name: site.metadata.name, labels: labelsOf(site) });

function pagesOf(site: WebServer) {
  return { metadata: metadataOf(site), data: site.spec.pages };
}

function serviceOf(site: WebServer) {
  return { metadata: metadataOf(site), spec: { selector: labelsOf(site), ports: [{ port: 80, targetPort: PORT }] } };
}

function deploymentOf(site: WebServer) {
  const { replicas, image, pages } = site.spec;
  const server = {
    name: 'web',
    image,
    command: ['httpd', '-f', '-p', String(PORT), '-h', '/www'],
    ports: [{ containerPort: PORT }],
    readinessProbe: { tcpSocket: { port: PORT }, periodSeconds: 1 },
    volumeMounts: [{ name: 'pages', mountPath: '/www', readOnly: true }],
  };
  return {
    metadata: metadataOf(site),
    spec: {
      replicas,
      selector: { matchLabels: labelsOf(site) },
      template: {
        // A pod whose template changes is replaced: so a new page reaches all servers, a few at a time.
        metadata: { labels: labelsOf(site), annotations: { 'example.com/pages': checksum(pages) } },
        spec: { containers: [server], volumes: [{ name: 'pages', configMap: { name: site.metadata.name } }] },
      },
    },
  };
}
