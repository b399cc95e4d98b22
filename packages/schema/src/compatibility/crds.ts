/** Whether a CRD can take the place of the one that is installed. */
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '@kurator/client/apiextensions/v1';
import type { Finding } from './finding.ts';
import { schemaFindings } from './schemas.ts';

/** What is known beyond the CRDs themselves. */
export interface CompareOptions {
  /** The versions in which objects are stored; taken from the installed CRD's status unless given. */
  storedVersions?: readonly string[];
}

/**
 * What goes wrong when `next` takes the place of `installed`, the worst first. Empty where nothing does.
 *
 * @param installed as it was read from the cluster.
 */
export function compareCrds(
  installed: CustomResourceDefinition,
  next: CustomResourceDefinition,
  options: CompareOptions = {},
): Finding[] {
  const stored = options.storedVersions ?? installed.status?.storedVersions ?? [];
  const found = [
    ...identity(installed, next),
    ...versions(installed, next, stored),
    ...storage(installed, next),
    ...names(installed, next),
  ];
  return found.toSorted((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'));
}

function* identity({ metadata, spec }: CustomResourceDefinition, next: CustomResourceDefinition): Generator<Finding> {
  const fixed = [
    ['metadata.name', metadata.name, next.metadata.name],
    ['spec.group', spec.group, next.spec.group],
    ['spec.names.kind', spec.names.kind, next.spec.names.kind],
    ['spec.names.plural', spec.names.plural, next.spec.names.plural],
    ['spec.scope', spec.scope, next.spec.scope],
  ] as const;
  for (const [path, was, is] of fixed) {
    if (was === is) continue;
    const reason = `it was ${was} and is ${is}, which can't be changed: to the server this is another kind`;
    yield { path, severity: 'breaking', reason, remedy: 'keep it, or move the objects to a kind of another name' };
  }
}

function* versions(
  installed: CustomResourceDefinition,
  next: CustomResourceDefinition,
  stored: readonly string[],
): Generator<Finding> {
  for (const before of installed.spec.versions) {
    const after = next.spec.versions.find(({ name }) => name === before.name);
    yield* after ? changed(before, after) : dropped(before, stored);
  }
}

function* dropped(
  { name, served, deprecated }: CustomResourceDefinitionVersion,
  stored: readonly string[],
): Generator<Finding> {
  if (stored.includes(name)) {
    yield {
      path: name,
      severity: 'breaking',
      reason: `objects may still be stored as ${name}, so the server refuses to drop it`,
      remedy: `write every object once, then remove ${name} from status.storedVersions of the CRD`,
    };
  }
  if (served) yield unserved(name, deprecated);
}

function unserved(name: string, deprecated: boolean | undefined): Finding {
  return {
    path: name,
    severity: deprecated ? 'warning' : 'breaking',
    reason: `clients that use ${name} will get "not found"${deprecated ? ', and were warned' : ''}`,
    remedy: deprecated ? 'make sure that nobody uses it any more' : 'serve it on, deprecated, for a while',
  };
}

function* changed(before: CustomResourceDefinitionVersion, next: CustomResourceDefinitionVersion): Generator<Finding> {
  const { name } = before;
  if (before.served && !next.served) yield unserved(name, before.deprecated);
  for (const part of ['status', 'scale'] as const) {
    if (!before.subresources?.[part] || next.subresources?.[part]) continue;
    const reason = `the subresource ${part} is gone: clients that use it will get "not found"`;
    yield { path: `${name}: subresources.${part}`, severity: 'breaking', reason, remedy: 'keep it' };
  }
  const has = new Set(next.selectableFields?.map(({ jsonPath }) => jsonPath));
  for (const { jsonPath } of before.selectableFields ?? []) {
    if (has.has(jsonPath)) continue;
    const reason = `objects can't be selected by ${jsonPath} any more: lists and watches that do so fail`;
    yield { path: `${name}: selectableFields`, severity: 'breaking', reason, remedy: 'keep it' };
  }
  yield* inVersion(name, before, next);
}

function* inVersion(
  name: string,
  before: CustomResourceDefinitionVersion,
  next: CustomResourceDefinitionVersion,
): Generator<Finding> {
  const [was = {}, is = {}] = [before.schema?.openAPIV3Schema, next.schema?.openAPIV3Schema];
  for (const { path, ...finding } of schemaFindings(was, is, '')) {
    yield { path: `${name}: ${path || 'the whole object'}`, ...finding };
  }
}

function* storage(installed: CustomResourceDefinition, next: CustomResourceDefinition): Generator<Finding> {
  const [before, after] = [installed, next].map(({ spec }) => spec.versions.find((version) => version.storage));
  const strategy = next.spec.conversion?.strategy ?? 'None';
  if (installed.spec.conversion?.strategy === 'Webhook' && strategy === 'None' && next.spec.versions.length > 1) {
    yield {
      path: 'spec.conversion',
      severity: 'breaking',
      reason: 'versions were converted by a webhook, and will differ in their apiVersion only: fields get lost',
      remedy: 'keep the webhook, or drop the other versions',
    };
  }
  if (!before || !after || before.name === after.name) return;
  yield {
    path: after.name,
    severity: 'warning',
    reason: `objects are stored as ${after.name} from now on, and as ${before.name} until they are written again`,
    remedy: `write every object once; an operator that knows ${before.name} only can't be rolled back to after that`,
  };
  // Without conversion, what is stored as one is read as the other.
  if (strategy === 'None') yield* inVersion(`${before.name} read as ${after.name}`, before, after);
}

function* names({ spec }: CustomResourceDefinition, next: CustomResourceDefinition): Generator<Finding> {
  for (const key of ['shortNames', 'categories'] as const) {
    const gone = (spec.names[key] ?? []).filter((name) => !next.spec.names[key]?.includes(name));
    if (gone.length === 0) continue;
    const reason = `${gone.join(', ')} will not be known any more: scripts that use it fail`;
    yield { path: `spec.names.${key}`, severity: 'warning', reason, remedy: 'make sure that nobody uses it' };
  }
}
