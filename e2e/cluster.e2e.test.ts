/** Three real nodes, seen through kubectl as a user would: what works on any Kubernetes works here. */
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BUSYBOX_IMAGE,
  busyboxImage,
  type Cluster,
  createCluster,
  eventually,
  type ImageArchive,
  imageFromNodeBundle,
  pushImage,
} from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inPod, kubectl, patiently, startKubectl } from './support/kubectl.ts';

let cluster: Cluster;

beforeAll(async () => {
  ({ cluster } = await createCluster({ name: 'e2e-cluster', nodes: 3 }));
  await cluster.load((await busyboxImage()).path);
  await kubectl(cluster, ['apply', '-f', '-'], webManifest);
  await kubectl(cluster, ['rollout', 'status', 'deployment/web', '--timeout=180s']);
});

afterAll(async () => {
  await cluster?.down();
});

const webManifest = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 3
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      topologySpreadConstraints:
        - { maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: { matchLabels: { app: web } } }
      terminationGracePeriodSeconds: 1
      containers:
        - name: web
          image: ${BUSYBOX_IMAGE}
          command: [sh, -c, 'mkdir /www; hostname > /www/index.html; echo serving; exec httpd -f -p 8080 -h /www']
          readinessProbe: { httpGet: { port: 8080, path: / }, periodSeconds: 1 }
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }
`;

interface PodPlace {
  name: string;
  node: string;
  address: string;
}

async function webPods(): Promise<PodPlace[]> {
  const { items } = JSON.parse(await kubectl(cluster, ['get', 'pods', '-l', 'app=web', '-o', 'json']));
  return items.map((pod: { metadata: { name: string }; spec: { nodeName: string }; status: { podIP: string } }) => ({
    name: pod.metadata.name,
    node: pod.spec.nodeName,
    address: pod.status.podIP,
  }));
}

describe('a cluster of three nodes', () => {
  it('has three Ready nodes of the version that was asked for', async () => {
    const { items } = JSON.parse(await kubectl(cluster, ['get', 'nodes', '-o', 'json']));
    for (const node of items) {
      expect(node.status.nodeInfo.kubeletVersion).toBe(`v${cluster.config.version}`);
      expect(node.status.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
    }
    expect(items).toHaveLength(3);
  });

  it('spreads a Deployment over the nodes', async () => {
    expect((await webPods()).map(({ node }) => node).sort()).toEqual(['n1', 'n2', 'n3']);
  });

  it('lets pods on different nodes reach each other, and a Service by its DNS name', async () => {
    const [first, second, third] = (await webPods()) as [PodPlace, PodPlace, PodPlace];
    expect(await inPod(cluster, first.name, 'wget', '-qO-', `http://${second.address}:8080`)).toBe(`${second.name}\n`);
    const answers = new Set<string>();
    await eventually(async () => {
      answers.add((await inPod(cluster, first.name, 'wget', '-qO-', 'http://web.default.svc.cluster.local')).trim());
      expect(answers).toEqual(new Set([first.name, second.name, third.name]));
    }, patiently);
  });

  it('answers kubectl logs and exec', async () => {
    const [pod] = (await webPods()) as [PodPlace];
    expect(await kubectl(cluster, ['logs', pod.name])).toBe('serving\n');
    expect(await inPod(cluster, pod.name, 'hostname')).toBe(`${pod.name}\n`);
  });

  it('forwards a port to a pod', async () => {
    const [pod] = (await webPods()) as [PodPlace];
    const forwarding = startKubectl(cluster, ['port-forward', pod.name, ':8080']);
    try {
      const port = await forwardedPort(forwarding.stdout as NodeJS.ReadableStream);
      expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe(`${pod.name}\n`);
    } finally {
      forwarding.kill();
    }
  });

  it('measures nodes and pods for kubectl top', async () => {
    const [pod] = (await webPods()) as [PodPlace];
    await eventually(async () => {
      expect(await kubectl(cluster, ['top', 'nodes', '--no-headers'])).toMatch(/^n1\s+\d+m.*\nn2\s+\d+m.*\nn3\s+\d+m/);
      expect(await kubectl(cluster, ['top', 'pod', pod.name, '--no-headers'])).toMatch(/\d+m\s+\d+Mi/);
    }, patiently);
  });

  it('gives a pod its service account, and lets it talk to the API server with it', async () => {
    await kubectl(cluster, ['create', 'role', 'reader', '--verb=get', '--resource=services']);
    await kubectl(cluster, ['create', 'rolebinding', 'reader', '--role=reader', '--serviceaccount=default:default']);
    await cluster.load((await callerImage()).path);
    await kubectl(cluster, ['run', 'caller', '--image=demo/caller:v1', '--restart=Never']);
    await kubectl(cluster, ['wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/caller', '--timeout=180s']);
    expect(await kubectl(cluster, ['logs', 'caller'])).toBe('services/web: 200 Service\nsecrets: 403 Status\n');
  });

  it("keeps a StatefulSet's data when its pod is deleted", async () => {
    await kubectl(cluster, ['apply', '-f', '-'], databaseManifest);
    await kubectl(cluster, ['rollout', 'status', 'statefulset/database', '--timeout=180s']);
    await inPod(cluster, 'database-0', 'sh', '-c', 'echo precious > /data/row');
    const uid = async () => kubectl(cluster, ['get', 'pod', 'database-0', '-o', 'jsonpath={.metadata.uid}']);
    const old = await uid();
    await kubectl(cluster, ['delete', 'pod', 'database-0']);
    await eventually(async () => expect(await uid()).not.toBe(old), patiently);
    await kubectl(cluster, ['wait', '--for=condition=Ready', 'pod/database-0', '--timeout=180s']);
    expect(await inPod(cluster, 'database-0', 'cat', '/data/row')).toBe('precious\n');
  });

  it('limits a volume to the size of its claim, and removes it with the claim', async () => {
    await expect(
      inPod(cluster, 'database-0', 'dd', 'if=/dev/zero', 'of=/data/big', 'bs=1M', 'count=64'),
    ).rejects.toThrow(/No space left/);
    await kubectl(cluster, ['delete', 'statefulset/database', 'pvc/data-database-0']);
    await eventually(async () => expect(await kubectl(cluster, ['get', 'pv', '--no-headers'])).toBe(''), patiently);
  });

  it("lets a pod write to its node's files, and keeps that off this machine", async () => {
    const name = `kurator-e2e-${process.pid}`;
    const paths = ['etc', 'opt', 'tmp', 'usr', 'root', ''].map((folder) => join('/', folder, name));
    const attempts = paths.map((path) => `echo mine > /node${path} && echo ${path} written`).join('; ');
    await kubectl(cluster, ['apply', '-f', '-'], hostWriterManifest(attempts));
    await kubectl(cluster, ['wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/host-writer', '--timeout=180s']);
    const said = await kubectl(cluster, ['logs', 'host-writer']);
    for (const path of paths.slice(0, 3)) expect(said).toContain(`${path} written`);
    expect(said).toMatch(/Read-only file system/);
    for (const path of paths) await expect(access(path)).rejects.toThrow('ENOENT');
  });

  it('pulls what was pushed to its registry', async () => {
    const registry = await cluster.registry();
    await pushImage(await busyboxImage(), registry.url, 'demo/tool:v1');
    await kubectl(cluster, [
      'run',
      'pulled',
      `--image=${registry.name}/demo/tool:v1`,
      '--restart=Never',
      '--',
      'echo',
      'pulled it',
    ]);
    await kubectl(cluster, ['wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/pulled', '--timeout=180s']);
    expect(await kubectl(cluster, ['logs', 'pulled'])).toBe('pulled it\n');
  });

  it('is left as it is by a second `up`', async () => {
    const again = await createCluster({ name: cluster.name, nodes: 3 });
    expect(again.created).toBe(false);
    expect(again.cluster.folder).toBe(cluster.folder);
    await expect(createCluster({ name: cluster.name, nodes: 1 })).rejects.toThrow(/already running: it has 3 nodes/);
  });
});

const hostWriterManifest = (script: string) => `
apiVersion: v1
kind: Pod
metadata: { name: host-writer }
spec:
  restartPolicy: Never
  containers:
    - { name: main, image: '${BUSYBOX_IMAGE}', command: [sh, -c, '${script}; true'], volumeMounts: [{ name: node, mountPath: /node }] }
  volumes: [{ name: node, hostPath: { path: / } }]
`;

const databaseManifest = `
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: database }
spec:
  serviceName: database
  selector: { matchLabels: { app: database } }
  template:
    metadata: { labels: { app: database } }
    spec:
      terminationGracePeriodSeconds: 1
      containers:
        - { name: database, image: '${BUSYBOX_IMAGE}', command: [sleep, infinity], volumeMounts: [{ name: data, mountPath: /data }] }
  volumeClaimTemplates:
    - metadata: { name: data }
      spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 32Mi } } }
`;

async function forwardedPort(output: NodeJS.ReadableStream): Promise<string> {
  return await new Promise((resolve, reject) => {
    let text = '';
    output.on('data', (chunk) => {
      text += chunk;
      const port = /127\.0\.0\.1:(\d+)/.exec(text)?.[1];
      if (port) resolve(port);
    });
    output.on('end', () => reject(new Error(`kubectl forwarded nothing: ${text}`)));
  });
}

/** Calls the API server as any in-cluster program does: its address by DNS, its authority and token from the pod's files. */
async function callerImage(): Promise<ImageArchive> {
  const folder = await mkdtemp(join(tmpdir(), 'kurator-caller-'));
  const account = '/var/run/secrets/kubernetes.io/serviceaccount';
  const program = `
    import { readFileSync } from 'node:fs';
    const token = readFileSync('${account}/token', 'utf8');
    for (const path of ['services/web', 'secrets']) {
      const url = 'https://kubernetes.default.svc/api/v1/namespaces/default/' + path;
      const response = await fetch(url, { headers: { authorization: 'Bearer ' + token } });
      console.log(path + ': ' + response.status + ' ' + (await response.json()).kind);
    }`;
  try {
    await writeFile(join(folder, 'caller.mjs'), program);
    const config = { name: 'demo/caller:v1', env: { NODE_EXTRA_CA_CERTS: `${account}/ca.crt` } };
    return await imageFromNodeBundle(join(folder, 'caller.mjs'), config);
  } finally {
    await rm(folder, { recursive: true });
  }
}
