/** Members of etcd that aren't there: pods that are ready at once, and behind all of them one server that answers as etcd's gateway does. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { createSecureContext, type TLSSocket } from 'node:tls';
import { type Client, Pod, Secret } from '@kurator/sdk';

/** All pods have the same address: whom a connection is for, it says by the name that it wants to see in the certificate. */
const ADDRESS = '127.77.0.1';
const PORT = 2379;

interface SimulatedMember {
  readonly id: bigint;
  readonly peerUrl: string;
  isLearner: boolean;
}

export interface SimulatedMembers extends AsyncDisposable {
  /** How many questions were answered so far. */
  readonly answered: number;
}

export async function simulateMembers(client: Client, version: string): Promise<SimulatedMembers> {
  /** By namespace and name of the cluster. */
  const clusters = new Map<string, SimulatedMember[]>();
  const over = new AbortController();
  let ids = 1n;
  let answered = 0;

  const listOf = (host: string) => {
    const [, name = '', namespace = ''] = host.split('.');
    const key = `${namespace}/${name}`;
    const list = clusters.get(key) ?? [];
    clusters.set(key, list);
    return list;
  };
  const join = (list: SimulatedMember[], peerUrl: string, isLearner: boolean) => {
    ids += 1n;
    list.push({ id: ids, peerUrl, isLearner });
  };

  const answers: Readonly<Record<string, (host: string, body: Record<string, unknown>) => object>> = {
    '/v3/maintenance/status': (host) => {
      const list = listOf(host);
      const self = list.find(({ peerUrl }) => peerUrl.includes(`//${host}:`));
      const header = { cluster_id: '77', member_id: String(self?.id ?? 0n) };
      const learner = self?.isLearner ? { isLearner: true } : {};
      return { header, leader: String(list[0]?.id ?? 0n), version, dbSize: '20480', ...learner };
    },
    '/v3/cluster/member/list': (host) => ({
      members: listOf(host).map(({ id, peerUrl, isLearner }) => ({ ID: String(id), peerURLs: [peerUrl], isLearner })),
    }),
    '/v3/cluster/member/add': (host, { peerURLs }) => {
      join(listOf(host), (peerURLs as string[])[0] ?? '', true);
      return {};
    },
    '/v3/cluster/member/promote': (host, { ID }) => {
      const member = listOf(host).find(({ id }) => String(id) === ID);
      if (member) member.isLearner = false;
      return {};
    },
  };

  const server = createServer(
    {
      SNICallback: (host, done) => {
        const [member = '', , namespace = ''] = host.split('.');
        const context = client.get(Secret, { name: `${member}-tls`, namespace }).then(({ data = {} }) => {
          const text = (name: string) => Buffer.from(data[name] ?? '', 'base64');
          return createSecureContext({ cert: text('tls.crt'), key: text('tls.key') });
        });
        context.then((made) => done(null, made), done);
      },
    },
    (request, response) => {
      void read(request).then((body) => {
        const { servername } = request.socket as TLSSocket;
        const answer = answers[request.url ?? '']?.(String(servername), body);
        answered += 1;
        reply(response, answer);
      });
    },
  );
  await listen(server);
  const watching = readyPods(client, over.signal, (pod) => {
    const command = pod.spec?.containers[0]?.command ?? [];
    const value = (flag: string) => command.find((word) => word.startsWith(`--${flag}=`))?.slice(flag.length + 3) ?? '';
    const peerUrl = value('initial-advertise-peer-urls');
    const list = listOf(new URL(peerUrl).hostname);
    if (value('initial-cluster-state') === 'new' && list.length === 0) join(list, peerUrl, false);
  });
  return {
    get answered() {
      return answered;
    },
    async [Symbol.asyncDispose]() {
      over.abort();
      await watching;
      server.closeAllConnections();
      server.close();
    },
  };
}

async function readyPods(client: Client, signal: AbortSignal, onPod: (pod: Pod) => void): Promise<void> {
  try {
    for await (const { type, object } of client.watch(Pod, { resourceVersion: '0', signal })) {
      if (type !== 'ADDED') continue;
      onPod(object);
      const { name, namespace = '' } = object.metadata;
      const conditions = [{ type: 'Ready', status: 'True' }];
      const status = { phase: 'Running', podIP: ADDRESS, podIPs: [{ ip: ADDRESS }], conditions };
      await client.patch(Pod, { name, namespace }, { status } as never, { subresource: 'status' });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function listen(server: Server): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(PORT, ADDRESS, resolve);
  });
}

async function read(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>);
  return JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, unknown>;
}

function reply(response: ServerResponse, answer: object | undefined): void {
  response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer ?? { code: 12, message: 'it is not simulated' }));
}
