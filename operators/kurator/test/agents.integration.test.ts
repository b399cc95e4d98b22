// Agents on three nodes, found on the real API server, asked over real connections about a service of three instances.
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { Pod } from '@kurator/sdk';
import { eventually, testScope } from '@kurator/testenv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waysTo } from '../src/brain/evidence/instance-detectors.ts';
import { freshLossTrack } from '../src/brain/perception/packet-loss.ts';
import { serviceSpec } from '../src/brain/spec-defaults.ts';
import { ServiceMemories, type ServiceMemory } from '../src/memory/service-memory.ts';
import type { Opening } from '../src/senses/agents/message.ts';
import { agentLabels, NodeAgents } from '../src/senses/agents/node-agents.ts';
import { type AgentOptions, createAgent } from '../src/senses/agents/serve-agent.ts';
import { observeInstance } from '../src/senses/observe-pod.ts';
import { grantRole } from './support/healing/grant-role.ts';
import { type HealerWorld, healerWorld } from './support/healing/healer-world.ts';
import { haveAccount, type StagedService } from './support/healing/stage-service.ts';

const key = 'k'.repeat(32);
let round: HealerWorld;
let web: StagedService;
let servers: Server[];

beforeEach(async () => {
  servers = [];
  round = await healerWorld();
  web = await round.stage('web', 3, { nodes: ['n1', 'n2', 'n3'] });
});
afterEach(async () => {
  for (const server of servers) server.close();
  await round[Symbol.asyncDispose]();
});

/** As a DaemonSet would have it, with a real agent behind its address. */
async function agentOn(node: string, options: Partial<AgentOptions> = {}): Promise<void> {
  const { client, namespace } = round;
  const server = createAgent({ key, ...options });
  servers.push(server);
  const podIP = `127.79.0.${servers.length}`;
  server.listen(0, podIP);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await haveAccount(client, namespace);
  const pod = await client.create(Pod, {
    metadata: { generateName: 'agent-', namespace, labels: agentLabels },
    spec: { nodeName: node, containers: [{ name: 'agent', image: 'kurator:1', ports: [{ containerPort: port }] }] },
  });
  const status = { phase: 'Running', podIP, podIPs: [{ ip: podIP }] };
  await client.patch(Pod, pod.metadata, { status }, { subresource: 'status' });
}

/** What the operator has in mind of the service: an opening that took a second is a hint. */
async function inMind(): Promise<ServiceMemory> {
  const { namespace, client } = round;
  const memory = new ServiceMemories(() => {}).of({ metadata: { name: 'web', namespace, uid: 'u' } } as never);
  const { items } = await client.list(Pod, { namespace, labelSelector: 'app=web' });
  const instances = items.map((pod) => observeInstance(pod));
  const track = { ...freshLossTrack, lastAt: Date.now(), filling: { openings: 1, trials: 2, wrong: 1 } };
  const target = { checks: {}, paths: { operator: track }, restarts: 0, crashes: [] };
  return Object.assign(memory, {
    spec: serviceSpec({ name: `${namespace}/web`, checks: [] }),
    seen: { instances } as never,
    perception: { targets: { [instances[0]?.uid ?? '']: target } },
  });
}

function agents(client = round.client, wake: () => void = () => {}): NodeAgents {
  const addresses = new Map(web.pods.map(({ uid, host, port }) => [uid, { host, port }]));
  const { namespace } = round;
  return new NodeAgents({ key, namespace, client, now: Date.now, addressesOf: () => addresses, wake });
}

const row = (connectMs: number): Opening[] => [[0, connectMs, true]];
const by = (connectMs: number): Partial<AgentOptions> => ({
  measure: async (addresses) => addresses.map(() => row(connectMs)),
});

describe('agents', () => {
  it('tell how each instance is reached from each node', async () => {
    await agentOn('n1', by(1));
    await agentOn('n2', by(2));
    await agentOn('n3', by(3));
    const { samples } = await agents().ask(await inMind());
    const seen = samples.map(({ from, to, connectMs }) => [
      from,
      web.pods.find(({ uid }) => uid === to)?.name,
      connectMs,
    ]);
    const wanted = ['n1', 'n2', 'n3'].flatMap((from, index) => web.pods.map(({ name }) => [from, name, index + 1]));
    expect(seen.toSorted()).toEqual(wanted.toSorted());
  });

  it('that are silent, have another key or fail say nothing, and keep nobody from being heard', async () => {
    await agentOn('n1', { key: 'x'.repeat(32) });
    await agentOn('n2', by(2));
    await agentOn('n3', { measure: () => Promise.reject(new Error('no sockets')) });
    const { samples, silent } = await agents().ask(await inMind());
    expect(new Set(samples.map(({ from }) => from))).toEqual(new Set(['n2']));
    expect(silent).toEqual(['n1', 'n3']);
  });

  it('are asked while there is a hint of loss, and what they say is kept in mind', async () => {
    for (const node of ['n1', 'n2', 'n3']) await agentOn(node);
    const memory = await inMind();
    let thoughts = 0;
    const eyes = agents(round.client, () => void thoughts++);
    eyes.attend(memory);
    await eventually(() => expect(thoughts).toBeGreaterThan(0), { timeout: '30s' });
    eyes.close();
    for (const { uid } of web.pods) {
      const { paths = {} } = memory.perception.targets[uid] ?? {};
      expect(Object.keys(paths)).toEqual(expect.arrayContaining(['n1', 'n2', 'n3']));
      expect(paths.n1?.filling.wrong).toBe(0);
    }
  });

  it('that have not answered yet leave it open where packets are lost, and those that never will do not', async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    await agentOn('n1', {
      measure: async (addresses) => {
        await answered;
        return addresses.map(() => row(1));
      },
    });
    const memory = await inMind();
    const [uid = ''] = Object.keys(memory.perception.targets);
    const ways = () => waysTo(memory.perception.targets[uid] ?? expect.fail('is forgotten'), Date.now());
    const eyes = agents();
    eyes.attend(memory);
    expect(ways()?.unclear).toEqual(['n1', 'n2', 'n3', 'operator']);
    answer();
    await eventually(() =>
      expect(Object.keys(memory.perception.targets[uid]?.paths ?? {})).toEqual(['n1', 'operator']),
    );
    eyes.close();
  });

  it('that fall silent are forgotten, so that they keep nobody else from being believed', async () => {
    let asked = 0;
    await agentOn('n1', {
      measure: async (addresses) => {
        if (asked++ > 0) throw new Error('no sockets');
        return addresses.map(() => row(1));
      },
    });
    await agentOn('n2', by(1));
    const memory = await inMind();
    const eyes = agents();
    eyes.attend(memory);
    const from = () => {
      const targets = Object.values(memory.perception.targets);
      return [...new Set(targets.flatMap(({ paths }) => Object.keys(paths)))].sort();
    };
    await eventually(() => expect(from()).toEqual(['n1', 'n2', 'operator']));
    await eventually(() => expect(from()).toEqual(['n2', 'operator']), { timeout: '20s' });
    eyes.close();
  });

  it('are asked nothing where there is no hint', async () => {
    let asked = 0;
    await agentOn('n1', { measure: async () => [[], [], []].slice(asked++) });
    const memory = await inMind();
    memory.perception = { targets: {} };
    round.requests.clear();
    agents().attend(memory);
    expect(round.requests.summary()).toEqual([]);
    expect(asked).toBe(0);
  });

  it('are not found without the role for it, which is noted', async () => {
    await agentOn('n1', by(1));
    await using elsewhere = await testScope('elsewhere');
    await using operator = await grantRole(elsewhere);
    const memory = await inMind();
    expect(await agents(operator.client).ask(memory)).toEqual({ samples: [], silent: [] });
    expect([...memory.missingRoles]).toEqual(['agents']);
  });
});
