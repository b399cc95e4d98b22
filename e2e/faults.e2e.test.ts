/** Every fault on three real nodes: seen from inside the cluster, and seen gone once it is healed. */
import {
  type Client,
  Node,
  PersistentVolumeClaim,
  type Pod,
  Pod as PodType,
  Service,
  waitFor,
  waitUntilGone,
} from '@kurator/client';
import { busyboxImage, type Cluster, createCluster, eventually, type FaultHandle } from '@kurator/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { belongingsOf, remainsOf } from './support/belongings.ts';
import { processesWith, rulesOnMachines } from './support/fault-traces.ts';
import { inPod, patiently } from './support/kubectl.ts';
import { addressOf, converse, removePod, startPod, untilPod, untilReady } from './support/pods.ts';

let cluster: Cluster;
let client: Client;
/** Serves HTTP on n1; `near` is on the same node, `far` on n2, `third` on n3. */
let web: Pod;
let near: Pod;
let far: Pod;
let third: Pod;

const serve = 'mkdir -p /www; hostname > /www/index.html; httpd -p 8080 -h /www;';

beforeAll(async () => {
  ({ cluster } = await createCluster({ name: 'e2e-faults', nodes: 3, fastFailureDetection: true }));
  client = await cluster.client();
  await cluster.load((await busyboxImage()).path);
  await client.create(Service, {
    metadata: { name: 'web', namespace: 'default' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
  });
  [web, near, far, third] = await Promise.all([
    startPod(client, { name: 'web', node: 'n1', labels: { app: 'web' }, script: `${serve} exec sleep 100000` }),
    startPod(client, { name: 'near', node: 'n1' }),
    startPod(client, { name: 'far', node: 'n2' }),
    startPod(client, { name: 'third', node: 'n3', script: `${serve} exec sleep 100000` }),
  ]);
  await eventually(() => reach('far', 'web'), patiently);
});

afterAll(async () => {
  await client?.close();
  await cluster?.down();
});

afterEach(async () => {
  await cluster?.faults.healAll();
});

/** Fetches a page: it throws when that takes longer than a second. */
async function reach(from: string, to: Pod | string, port = 8080): Promise<string> {
  const url = typeof to === 'string' ? `http://${to}` : `http://${addressOf(to)}:${port}`;
  return await inPod(cluster, from, 'timeout', '1', 'wget', '-qO-', url);
}

async function cannotReach(from: string, to: Pod | string): Promise<void> {
  await expect(reach(from, to)).rejects.toThrow();
}

/** How many of 300 packets, and of the answers to them, got lost. */
async function lossPercent(from: string, to: Pod): Promise<number> {
  const output = await inPod(cluster, from, 'sh', '-c', `ping -q -c 300 -i 0.005 -W 1 ${addressOf(to)} || true`);
  const [, received = ''] = /(\d+) packets received/.exec(output) ?? [];
  return 100 - Number(received) / 3;
}

async function nodeReady(name: string, ready: boolean): Promise<void> {
  const wanted = (node: Node) =>
    node.status?.conditions?.some(({ type, status }) => type === 'Ready' && (status === 'True') === ready) ?? false;
  await waitFor(client, Node, { name }, wanted, {
    description: ready ? 'to be Ready' : 'to be no longer Ready',
    timeout: 60_000,
  });
}

describe('processes', () => {
  it('kills a container, and the kubelet starts another', async () => {
    await startPod(client, { name: 'victim', node: 'n1' });
    const fault = await cluster.faults.kill({ pod: 'victim' });
    const pod = await untilPod(
      client,
      'victim',
      'to restart',
      (it) => it.status?.containerStatuses?.[0]?.restartCount === 1,
    );
    expect(pod.status?.containerStatuses?.[0]?.lastState?.terminated?.exitCode).toBe(137);
    expect(await cluster.faults.list()).toEqual([]);
    await fault.heal();
  });

  it('sends any signal to any process of a container', async () => {
    const script = "trap 'echo heard' USR1; tail -f /dev/null & while kill -0 $!; do wait; done; exec sleep 100000";
    const pod = await startPod(client, { name: 'listener', node: 'n2', script });
    await cluster.faults.kill({ pod, signal: 'SIGUSR1' });
    await eventually(
      async () => expect(await client.logs({ name: 'listener', namespace: 'default' })).toBe('heard\n'),
      patiently,
    );
    await cluster.faults.kill({ pod, process: 'tail', signal: 15 });
    await eventually(async () => expect(await inPod(cluster, 'listener', 'ps')).not.toContain('tail'), patiently);
  });

  it('freezes a container and thaws it', async () => {
    const fault = await cluster.faults.freeze({ pod: web });
    await cannotReach('far', web);
    expect(await inPod(cluster, 'web', 'grep', '-h', 'State', '/proc/1/status')).toContain('stopped');
    await fault.heal();
    expect(await reach('far', web)).toBe('web\n');
    expect(await inPod(cluster, 'web', 'grep', '-h', 'State', '/proc/1/status')).toContain('sleeping');
  });
});

describe('packets', () => {
  it('loses the wanted share of the packets to a pod, each packet being judged once', async () => {
    const fault = await cluster.faults.drop({ percent: 50, to: web });
    const [fromFar, fromNear] = await Promise.all([lossPercent('far', web), lossPercent('near', web)]);
    for (const loss of [fromFar, fromNear]) {
      expect(loss).toBeGreaterThan(35);
      expect(loss).toBeLessThan(65);
    }
    await fault.heal();
    expect(await lossPercent('far', web)).toBe(0);
  });

  it('loses packets both ways where that is wanted', async () => {
    const fault = await cluster.faults.drop({ percent: 50, from: far, to: web, bothWays: true });
    const loss = await lossPercent('far', web);
    expect(loss).toBeGreaterThan(60);
    expect(loss).toBeLessThan(90);
    await fault.heal();
    expect(await lossPercent('far', web)).toBe(0);
  });

  it('cuts one pod off from another, also through a Service, and from no other', async () => {
    const fault = await cluster.faults.drop({ percent: 100, from: far, to: web });
    await cannotReach('far', web);
    await cannotReach('far', 'web');
    expect(await reach('near', 'web')).toBe('web\n');
    await fault.heal();
    expect(await reach('far', 'web')).toBe('web\n');
  });

  it('loses the answers of a Service too, which come from its own address', async () => {
    const fault = await cluster.faults.drop({ percent: 100, from: web, to: near });
    await cannotReach('near', 'web');
    expect(await reach('far', 'web')).toBe('web\n');
    await fault.heal();
    expect(await reach('near', 'web')).toBe('web\n');
  });

  it('loses what comes to one port only', async () => {
    const fault = await cluster.faults.drop({ percent: 100, to: web, port: 8080 });
    await cannotReach('far', web);
    expect(await lossPercent('far', web)).toBe(0);
    await fault.heal();
    expect(await reach('far', web)).toBe('web\n');
  });

  it('loses packets between nodes, one way', async () => {
    const fault = await cluster.faults.drop({ percent: 100, from: { node: 'n2' }, to: { node: 'n1' } });
    await cannotReach('far', web);
    expect(await reach('far', third)).toBe('third\n');
    expect(await inPod(cluster, 'third', 'timeout', '1', 'wget', '-qO-', `http://${addressOf(web)}:8080`)).toBe(
      'web\n',
    );
    await fault.heal();
    expect(await reach('far', web)).toBe('web\n');
  });

  it('counts the probes of the kubelet unless they are spared', async () => {
    const readinessProbe = { tcpSocket: { port: 8080 }, periodSeconds: 1, failureThreshold: 1 };
    const probed = await startPod(client, {
      name: 'probed',
      node: 'n1',
      script: `${serve} exec sleep 100000`,
      container: { readinessProbe },
    });
    const everything = await cluster.faults.drop({ percent: 100, to: probed });
    await untilReady(client, 'probed', false);
    const { description } = await cluster.faults.drop({
      percent: 100,
      to: probed,
      except: { node: 'n1', pods: false },
    });
    expect(description).toBe(
      'drops 100 % of the packets to pod default/probed but spares those of node n1 without its pods',
    );
    await everything.heal();
    await untilReady(client, 'probed');
    await cannotReach('near', probed);
    await cluster.faults.healAll();
    expect(await reach('near', probed)).toBe('probed\n');
  });

  it('parts nodes from each other', async () => {
    const fault = await cluster.faults.partition({ groups: [['n1'], ['n2', 'n3']] });
    await Promise.all([cannotReach('far', web), cannotReach('web', third)]);
    expect(await reach('far', third)).toBe('third\n');
    await fault.heal();
    expect(await reach('far', web)).toBe('web\n');
  });

  it('parts a node from the control plane alone', async () => {
    const fault = await cluster.faults.partition({ groups: [['n3'], ['cp']] });
    await nodeReady('n3', false);
    expect(await reach('far', third)).toBe('third\n');
    await fault.heal();
    await nodeReady('n3', true);
  });

  it("pulls a node's cable and puts it back", async () => {
    const fault = await cluster.faults.unplug({ node: 'n3' });
    await cannotReach('far', third);
    await fault.heal();
    expect(await eventually(() => reach('far', third), patiently)).toBe('third\n');
  });
});

describe('connections', () => {
  it('refuses connections to a port', async () => {
    const fault = await cluster.faults.refuse({ to: web, port: 8080, except: near });
    await expect(reach('far', web)).rejects.toThrow('refused');
    expect(await reach('near', web)).toBe('web\n');
    await fault.heal();
    expect(await reach('far', web)).toBe('web\n');
  });

  it('refuses connections to a program on a machine', async () => {
    const toApiServer = (pod: string) =>
      inPod(cluster, pod, 'sh', '-c', 'nc -w 1 kubernetes.default.svc.cluster.local 443 </dev/null');
    const fault = await cluster.faults.refuse({ to: { node: 'cp' }, port: 6443, from: far });
    await expect(toApiServer('far')).rejects.toThrow('refused');
    await toApiServer('near');
    await fault.heal();
    await toApiServer('far');
  });

  it('delays new connections', async () => {
    const fault = await cluster.faults.delay({ to: web, port: 8080, by: '1500ms', except: near });
    const started = performance.now();
    await cannotReach('far', web);
    expect(await inPod(cluster, 'far', 'wget', '-qO-', `http://${addressOf(web)}:8080`)).toBe('web\n');
    expect(performance.now() - started).toBeGreaterThan(1000 + 1500);
    expect(await reach('near', web)).toBe('web\n');
    await fault.heal();
    expect(await reach('far', web)).toBe('web\n');
    await eventually(async () => expect(await processesWith('delay-proxy')).toEqual([]), patiently);
  });

  it('breaks no connection when it begins to delay, and none when it ends', async () => {
    const script = `nc -ll -p 9000 -e cat & ${serve} exec sleep 100000`;
    const echo = await startPod(client, { name: 'echo', node: 'n1', script });
    await eventually(() => reach('far', echo), patiently);
    using before = converse(cluster, 'far', 'nc', addressOf(echo), '9000');
    expect(await before.ask('one')).toBe('one');
    const fault = await cluster.faults.delay({ to: echo, port: 9000, by: '100ms' });
    expect(await before.ask('two')).toBe('two');
    using during = converse(cluster, 'far', 'nc', addressOf(echo), '9000');
    expect(await during.ask('three')).toBe('three');
    await fault.heal();
    expect(await during.ask('four')).toBe('four');
    expect(await before.ask('five')).toBe('five');
    during[Symbol.dispose]();
    await eventually(async () => expect(await processesWith('delay-proxy')).toEqual([]), patiently);
  });
});

describe('resources', () => {
  const write = (pod: string, folder: string) =>
    inPod(cluster, pod, 'dd', 'if=/dev/zero', `of=${folder}/file`, 'bs=64k', 'count=16');

  it('fills volumes until there is no space left, also for the pod that comes after', async () => {
    await client.create(PersistentVolumeClaim, {
      metadata: { name: 'data', namespace: 'default' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '16Mi' } } },
    });
    const spec = {
      volumes: [
        { name: 'claimed', persistentVolumeClaim: { claimName: 'data' } },
        { name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '4Mi' } },
      ],
    };
    const container = {
      volumeMounts: [
        { name: 'claimed', mountPath: '/claimed' },
        { name: 'memory', mountPath: '/memory/' },
      ],
    };
    const writer = await startPod(client, { name: 'writer', node: 'n2', spec, container });
    const [claimed, memory] = await Promise.all([
      cluster.faults.fill({ pod: writer, volume: 'claimed' }),
      cluster.faults.fill({ pod: writer, volume: 'memory' }),
    ]);
    await expect(write('writer', '/claimed')).rejects.toThrow('No space left');
    await expect(write('writer', '/memory')).rejects.toThrow('No space left');
    await memory.heal();
    await write('writer', '/memory');

    await removePod(client, 'writer');
    await waitUntilGone(client, PodType, { name: 'writer', namespace: 'default' });
    await startPod(client, { name: 'writer', node: 'n2', spec, container });
    await expect(write('writer', '/claimed')).rejects.toThrow('No space left');
    await claimed.heal();
    await write('writer', '/claimed');
  });

  it("does not fill the machine's own disk, unless it is told with how much", async () => {
    const spec = {
      volumes: [
        { name: 'scratch', emptyDir: {} },
        { name: 'host', hostPath: { path: '/usr' } },
      ],
    };
    const container = {
      volumeMounts: [
        { name: 'scratch', mountPath: '/scratch' },
        { name: 'host', mountPath: '/outside' },
      ],
    };
    const pod = await startPod(client, { name: 'scratcher', node: 'n3', spec, container });
    await expect(cluster.faults.fill({ pod, volume: 'scratch' })).rejects.toThrow("machine's own disk");
    await expect(cluster.faults.fill({ pod, volume: 'host', bytes: 1 })).rejects.toThrow('not the cluster');
    const fault = await cluster.faults.fill({ pod, volume: 'scratch', bytes: '3Mi' });
    expect(await inPod(cluster, 'scratcher', 'du', '-s', '/scratch')).toMatch(/^30\d\d\t/);
    await fault.heal();
    expect(await inPod(cluster, 'scratcher', 'ls', '-A', '/scratch')).toBe('');
  });

  it("burns processor time inside a container's limits", async () => {
    await startPod(client, {
      name: 'busy',
      node: 'n2',
      container: { resources: { limits: { cpu: '500m', memory: '64Mi' } } },
    });
    const seconds = async () => {
      const files = '/sys/fs/cgroup/cpuacct/cpuacct.usage /sys/fs/cgroup/cpu.stat';
      const [usage = '0'] =
        /\d+/.exec(await inPod(cluster, 'busy', 'sh', '-c', `cat ${files} 2>/dev/null || true`)) ?? [];
      return Number(usage) / 1e9;
    };
    const before = await seconds();
    const fault = await cluster.faults.burnCpu({ pod: 'busy', cores: 2 });
    await eventually(async () => expect(await seconds()).toBeGreaterThan(before + 0.5), patiently);
    expect((await inPod(cluster, 'busy', 'ps')).match(/while :/g)).toHaveLength(2);
    await fault.heal();
    expect(await inPod(cluster, 'busy', 'ps')).not.toContain('while :');
  });

  it("holds memory inside a container's limits, and ends the container that outgrows them", async () => {
    const held = async () =>
      Number(
        await inPod(
          cluster,
          'busy',
          'sh',
          '-c',
          'cd /sys/fs/cgroup; cat memory/memory.usage_in_bytes || cat memory.current',
        ),
      );
    const fault = await cluster.faults.burnMemory({ pod: 'busy', bytes: '32Mi' });
    expect(await held()).toBeGreaterThan(32 * 1024 ** 2);
    await fault.heal();
    expect(await held()).toBeLessThan(24 * 1024 ** 2);
    const tooMuch = await cluster.faults.burnMemory({ pod: 'busy', bytes: '1Ti' });
    const reason = (pod: Pod) => pod.status?.containerStatuses?.[0]?.lastState?.terminated?.reason;
    await untilPod(client, 'busy', 'to be OOMKilled', (pod) => reason(pod) === 'OOMKilled');
    await tooMuch.heal();
    await untilReady(client, 'busy');
  });
});

describe("the cluster's own parts", () => {
  beforeEach(async () => {
    await Promise.all(['n1', 'n2', 'n3'].map((name) => nodeReady(name, true)));
  });

  it.each(['stop', 'hang'] as const)('%ss a kubelet: its node is lost, its pods are not', async (kind) => {
    const fault = await cluster.faults[kind]({ component: 'kubelet', node: 'n3' });
    await nodeReady('n3', false);
    expect(await reach('far', third)).toBe('third\n');
    await fault.heal();
    await nodeReady('n3', true);
  });

  it('stops containerd: containers run on, and no command gets into them', async () => {
    const fault = await cluster.faults.stop({ component: 'containerd', node: 'n3' });
    await expect(inPod(cluster, 'third', 'true')).rejects.toThrow();
    expect(await reach('far', third)).toBe('third\n');
    await fault.heal();
    await eventually(() => inPod(cluster, 'third', 'true'), patiently);
  });

  it.each(['kube-apiserver', 'etcd'] as const)('stops %s: nobody gets an answer', async (component) => {
    const fault = await cluster.faults.stop({ component });
    await expect(client.list(Node, { timeout: 2000 })).rejects.toThrow();
    expect(await cluster.faults.list()).toMatchObject([{ description: `stops ${component}` }]);
    await fault.heal();
    await eventually(() => client.list(Node, { timeout: 2000 }), patiently);
  });

  it('hangs the API server: connections stay open, and nobody answers', async () => {
    const fault = await cluster.faults.hang({ component: 'kube-apiserver' });
    await expect(client.list(Node, { timeout: 1000 })).rejects.toMatchObject({ code: 'KUR_CLIENT_TIMEOUT' });
    await fault.heal();
    // What it had begun before may have run into its own time limits.
    await eventually(() => client.list(Node, { timeout: 2000 }), patiently);
  });

  it("cuts a node's power and gives it back", async () => {
    const ping = () => inPod(cluster, 'far', 'ping', '-c', '1', '-W', '1', third.status?.hostIP ?? '');
    await ping();
    const fault = await cluster.faults.powerOff({ node: 'n3' });
    await Promise.all([cannotReach('far', third), expect(ping()).rejects.toThrow()]);
    await nodeReady('n3', false);
    await fault.heal();
    await nodeReady('n3', true);
    await eventually(async () => {
      third = await client.get(PodType, { name: 'third', namespace: 'default' });
      expect(await reach('far', third)).toBe('third\n');
    }, patiently);
  });
});

describe('healing', () => {
  it('works once, twice and by name; the fault is listed until then', async () => {
    const fault = await cluster.faults.freeze({ pod: near });
    const { heal, [Symbol.asyncDispose]: _, ...record } = fault;
    expect(await cluster.faults.list()).toEqual([record]);
    expect(record).toMatchObject({
      kind: 'freeze',
      request: { pod: 'near', namespace: 'default' },
      description: 'freezes pod default/near',
    });
    await cluster.faults.heal(fault.id);
    expect(await cluster.faults.list()).toEqual([]);
    await heal();
    await heal();
    await inPod(cluster, 'near', 'true');
  });

  it('happens at the end of a block, and by itself when the time is up', async () => {
    {
      await using _refused = await cluster.faults.refuse({ to: web, port: 8080 });
      await cannotReach('far', web);
    }
    expect(await reach('far', web)).toBe('web\n');
    await cluster.faults.refuse({ to: web, port: 8080, for: '1s' });
    expect(await cluster.faults.list()).toMatchObject([{ until: expect.any(String) }]);
    await eventually(async () => expect(await cluster.faults.list()).toEqual([]), patiently);
    expect(await reach('far', web)).toBe('web\n');
  });

  it('works when the target is gone', async () => {
    const volumes = [{ name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } }];
    const container = { volumeMounts: [{ name: 'memory', mountPath: '/memory' }] };
    const pod = await startPod(client, {
      name: 'doomed',
      node: 'n2',
      script: `${serve} exec sleep 100000`,
      container,
      spec: { volumes },
    });
    const faults: FaultHandle[] = [
      await cluster.faults.drop({ percent: 100, from: near, to: pod, bothWays: true }),
      await cluster.faults.refuse({ to: pod, port: 8080 }),
      await cluster.faults.delay({ to: pod, port: 8081, by: '1s' }),
      await cluster.faults.fill({ pod, volume: 'memory' }),
      await cluster.faults.burnCpu({ pod }),
      await cluster.faults.freeze({ pod }),
    ];
    await removePod(client, 'doomed');
    await eventually(async () => expect(await processesWith('delay-proxy')).toEqual([]), patiently);
    for (const fault of faults) await fault.heal();
    expect(await cluster.faults.list()).toEqual([]);
    expect(await rulesOnMachines(cluster)).toEqual([]);
  });

  it('is needed before another fault can take the same thing', async () => {
    const fault = await cluster.faults.stop({ component: 'kube-proxy', node: 'n2' });
    await expect(cluster.faults.powerOff({ node: 'n2' })).rejects.toMatchObject({
      code: 'KUR_TESTENV_FAULT_TAKEN',
      message: `fault ${fault.id} (stops kube-proxy on n2) has its hands on the same thing`,
    });
  });

  it('is not needed for what could not be done', async () => {
    await expect(cluster.faults.freeze({ pod: 'nobody' })).rejects.toThrow(
      'there is no pod "nobody" in the namespace default',
    );
    await expect(cluster.faults.drop({ percent: 130, to: web })).rejects.toThrow(
      'drop.percent is 130: give a number above 0, up to 100',
    );
    await expect(cluster.faults.unplug({ node: 'n9' })).rejects.toMatchObject({ remedy: 'use one of cp, n1, n2, n3' });
    expect(await cluster.faults.list()).toEqual([]);
  });
});

describe('a cluster that goes down', () => {
  it('takes its faults along', async () => {
    const { faults } = cluster;
    const fault = await faults.freeze({ pod: web });
    await Promise.all([
      faults.drop({ percent: 50, from: near, to: far, bothWays: true }),
      faults.partition({ groups: [['n1'], ['n2']] }),
      faults.delay({ to: far, port: 8080, by: '1s' }),
      faults.refuse({ to: far, port: 8081 }),
      faults.burnCpu({ pod: far }),
      faults.burnMemory({ pod: far, bytes: '16Mi' }),
      faults.stop({ component: 'containerd', node: 'n2' }),
      faults.powerOff({ node: 'n3' }),
    ]);
    await faults.hang({ component: 'kube-apiserver' });
    const belongings = await belongingsOf(cluster);
    expect(await remainsOf(belongings)).not.toEqual([]);
    await cluster.down();
    await fault.heal();
    await eventually(async () => expect(await remainsOf(belongings)).toEqual([]), patiently);
  });

  it('takes them along also when it is killed', async () => {
    const { cluster: doomed } = await createCluster({ name: 'e2e-faults-killed', nodes: 1 });
    await using its = await doomed.client();
    await doomed.load((await busyboxImage()).path);
    const pod = await startPod(its, { name: 'victim', node: 'n1' });
    await doomed.faults.delay({ to: pod, port: 8080, by: '1s' });
    await doomed.faults.burnCpu({ pod });
    await doomed.faults.freeze({ pod });
    await doomed.faults.hang({ component: 'kubelet', node: 'n1' });
    await doomed.faults.hang({ component: 'kube-apiserver' });
    const belongings = await belongingsOf(doomed);
    process.kill((await doomed.status()).supervisor.pid, 'SIGKILL');
    const inTheWay = async () => (await remainsOf(belongings)).filter((it) => it !== doomed.folder);
    await eventually(async () => expect(await inTheWay()).toEqual([]), patiently);
    await doomed.down();
    expect(await remainsOf(belongings)).toEqual([]);
  });
});
