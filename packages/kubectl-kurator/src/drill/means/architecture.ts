/** The tracer is machine code: where it can't run is said before anything is touched. */
import { type Client, hasCode, Node, type Pod } from '@kurator/client';
import { ARCHITECTURE } from './hold-program.ts';
import { missing } from './means.ts';

/** @param pods Those that only a tracer reaches. */
export async function checkArchitecture(client: Client, pods: readonly Pod[], signal: AbortSignal): Promise<void> {
  const names = new Set(pods.flatMap(({ spec }) => spec?.nodeName ?? []));
  const nodes = await Promise.all(
    [...names].map(async (name) => {
      // Not everybody may see nodes. Then the tracer's own script says it, a moment later.
      return await client.find(Node, { name }, { signal }).catch((error: unknown) => {
        if (!hasCode(error, 'KUR_CLIENT_FORBIDDEN')) throw error;
        return undefined;
      });
    }),
  );
  const foreign = foreignTo(
    ARCHITECTURE.name,
    nodes.filter((node) => node !== undefined),
  );
  if (!foreign) return;
  const what = `node ${foreign.name} has ${foreign.architecture}, and the tracer is for ${ARCHITECTURE.name} alone`;
  throw missing(what, 'set shareProcessNamespace: true in the pod template: then signals do, on every kind of node');
}

/** The first node of another architecture; undefined if there is none, or where nobody has said. */
export function foreignTo(own: string, nodes: readonly Node[]): { name: string; architecture: string } | undefined {
  for (const { metadata, status } of nodes) {
    const architecture = status?.nodeInfo?.architecture || metadata.labels?.['kubernetes.io/arch'];
    if (architecture && architecture !== own) return { name: metadata.name, architecture };
  }
  return undefined;
}
