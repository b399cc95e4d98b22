/** What an operator has asked of the API server, as the API server's own log has it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster } from '@kurator/testenv';

/** One request, answered. */
export interface AuditedRequest {
  readonly verb: string;
  readonly requestURI: string;
  readonly sourceIPs?: readonly string[];
  readonly responseStatus?: { readonly code?: number };
}

interface AuditEvent extends AuditedRequest {
  readonly stage: string;
  readonly user?: { readonly username?: string };
}

/** Everything that a service account has asked for, in order. */
export async function requestsOf(cluster: Cluster, namespace: string, account: string): Promise<AuditedRequest[]> {
  const log = await readFile(join(cluster.folder, 'logs', 'audit.log'), 'utf8');
  const username = `system:serviceaccount:${namespace}:${account}`;
  const events = log
    .split('\n')
    .filter((line) => line.includes(username))
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ stage, user }) => stage === 'ResponseComplete' && user?.username === username);
  // A log without a single request of it would prove nothing.
  if (events.length === 0) throw new Error(`the audit log has no request of ${username}`);
  return events;
}

/** Whether its roles don't cover it. A budget that allows no disruption answers otherwise. */
export function isForbidden({ responseStatus }: AuditedRequest): boolean {
  return responseStatus?.code === 403;
}
