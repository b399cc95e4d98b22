/** What a member shows to whoever connects to it at this moment: what its process has read, not what lies in its Secret. */
import { connect } from 'node:tls';
import { readCertificate } from '@kurator/pki';
import type { Credentials, Endpoint } from './etcd-client.ts';
import { CLIENT_PORT } from './etcd-client.ts';

const PATIENCE = 3_000;

/** The id of the authority that has signed it; undefined where it doesn't say. Rejects where there is no handshake. */
export function issuerShownBy(
  { address, serverName }: Endpoint,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port: CLIENT_PORT, servername: serverName, ...credentials });
    const abort = () => socket.destroy(new Error('aborted'));
    signal.addEventListener('abort', abort, { once: true });
    socket.setTimeout(PATIENCE, () => socket.destroy(new Error('it took too long')));
    socket.once('error', reject);
    socket.once('close', () => {
      signal.removeEventListener('abort', abort);
      reject(new Error('it hung up'));
    });
    socket.once('secureConnect', () => {
      const shown = socket.getPeerX509Certificate();
      socket.destroy();
      resolve(shown && readCertificate(shown.toString()).issuerKeyId);
    });
  });
}
