/** Servers that answer for staged pods by HTTPS or gRPC, real ones both. */
import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { type Client, Secret } from '@kurator/sdk';
import type { TestCertificate } from '../checks/certificate.ts';
import type { StageSettings } from './stage-service.ts';

/** HTTPS, each pod with the same certificate. */
export const byHttps = ({ cert, key }: Pick<TestCertificate, 'cert' | 'key'>): StageSettings => ({
  serve: (pod) => createHttpsServer({ cert, key }, (_request, response) => response.writeHead(pod.status).end('well')),
});

/** The health service of gRPC: serving for as long as the pod's status is 200. */
export const byGrpc: StageSettings = {
  serve(pod) {
    const server = createHttp2Server();
    server.on('stream', (stream: ServerHttp2Stream) => {
      stream.on('error', () => {});
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(Buffer.from([0, 0, 0, 0, 2, 0x08, pod.status === 200 ? 1 : 2]));
    });
    return server;
  },
};

/** Makes a Secret with one key. */
export async function haveSecret(client: Client, namespace: string, name: string, key: string, value: string) {
  await client.create(Secret, {
    metadata: { name, namespace },
    data: { [key]: Buffer.from(value).toString('base64') },
  });
}
