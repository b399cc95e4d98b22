/** Reads what an API server says about its own kinds. */
import type { Client } from '@kurator/client';
import type { Resource, Schema } from './type-generator.ts';

export interface ApiDescription {
  schemas: Record<string, Schema>;
  resources: Resource[];
}

/** Everything under `/api/v1` and `/apis/GROUP/VERSION` of Kubernetes' own groups: CRDs and other servers stay out. */
export async function describeApi(client: Client): Promise<ApiDescription> {
  const { paths } = await readJson<{ paths: Record<string, { serverRelativeURL: string }> }>(client, '/openapi/v3');
  const schemas: Record<string, Schema> = {};
  const resources: Resource[] = [];
  for (const [path, { serverRelativeURL }] of Object.entries(paths).sort()) {
    if (!/^(api|apis\/[^/]+)\/v\d\w*$/.test(path)) continue;
    const document = await readJson<{ components?: { schemas?: Record<string, Schema> } }>(client, serverRelativeURL);
    const own = Object.entries(document.components?.schemas ?? {}).filter(([name]) => name.startsWith('io.k8s.'));
    Object.assign(schemas, Object.fromEntries(own));
    resources.push(...(await resourcesOf(client, path)));
  }
  return { schemas, resources };
}

async function resourcesOf(client: Client, path: string): Promise<Resource[]> {
  const apiVersion = path.replace(/^apis?\//, '');
  const list = await readJson<{ resources: { name: string; kind: string; namespaced: boolean }[] }>(client, `/${path}`);
  return list.resources
    .filter(({ name }) => !name.includes('/'))
    .map(({ name, kind, namespaced }) => ({ apiVersion, kind, plural: name, namespaced }));
}

// The server calls its OpenAPI documents plain text.
async function readJson<T>(client: Client, path: string): Promise<T> {
  const answer = await client.raw<T | string>('GET', path);
  return typeof answer === 'string' ? (JSON.parse(answer) as T) : answer;
}
