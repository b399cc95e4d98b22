/** Results for programs: the objects as the server has them, but for what nobody reads. */
import type { KubernetesObject, ResourceType } from '@kurator/client';
import { safeData, safeJson } from '../terminal/safe-text.ts';
import type { Screen } from '../terminal/style.ts';

/** How results are printed; a table unless given. */
export interface OutputOptions {
  readonly output?: 'json' | 'yaml' | 'wide' | 'name' | undefined;
}

/** Whether it is for a program. */
export function isForPrograms({ output }: OutputOptions): boolean {
  return output === 'json' || output === 'yaml';
}

/** JSON or YAML. Where a terminal would obey what is in it, it is written out. */
export async function serialised(value: unknown, { output }: OutputOptions, { width }: Screen): Promise<string> {
  if (output === 'json') return safeJson(value);
  const { stringify } = await import('yaml');
  return stringify(width === undefined ? value : safeData(value), { lineWidth: 0 }).trimEnd();
}

/** As kubectl's `-o name` writes it, and as it takes it: `kurator.kurator.sh/web`. */
export function resourceName({ apiVersion, kind }: ResourceType, { metadata }: KubernetesObject): string {
  const [group, version] = apiVersion.split('/');
  return `${kind.toLowerCase()}${version ? `.${group}` : ''}/${metadata.name}`;
}

/** Without the record of who wrote what. */
export function bare<T extends KubernetesObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** As kubectl prints several. */
export function listOf(items: readonly KubernetesObject[]): object {
  return { apiVersion: 'v1', kind: 'List', items: items.map(bare) };
}
