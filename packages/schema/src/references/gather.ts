/** CEL that gathers what a field refers to, from an object whose fields may all be absent. */
import { celField, celLiteral } from '../cel.ts';
import type { FieldStep, ReferenceField, Signature, Step } from './marked-fields.ts';

/**
 * A list of what a field refers to in an object: of each the field, its value, the namespace and the name. Of lists in
 * lists it is not known what they refer to, only whether they refer to anything: the name is empty then.
 */
export function gathered(object: string, field: ReferenceField): string {
  const { path, reference, name, namespace } = field;
  const { values, isWhole } = valuesAt(object, field.steps);
  const given = reference.when && isWhole ? `.filter(self, ${reference.when})` : '';
  const entries = [
    ['field', celLiteral(path)],
    ['value', isWhole ? (reference.value ?? 'self') : 'self'],
    ['namespace', (isWhole ? namespace : undefined) ?? (reference.to.namespaced ? 'request.namespace' : "''")],
    ['name', isWhole && name ? name : "''"],
  ];
  return `(${values})${given}.map(self, {${entries.map(([key, cel]) => `'${key}': dyn(${cel})`).join(', ')}})`;
}

/** A list of the fields that are signed in an object, the one who signs first, each as a list that is empty where it is absent. */
export function signedFields(object: string, { steps, by, fields }: Signature): string {
  const values = [by, ...fields].map((name) => {
    const path: FieldStep[] = [...steps, { into: 'field', name, nullable: false }];
    return `dyn(${guardOf(object, path)} ? [${pathOf(object, path)}] : [])`;
  });
  return `[${values.join(', ')}]`;
}

/** Whether a field is a list in a list. */
export function isNested({ steps }: ReferenceField): boolean {
  return steps.filter(({ into }) => into !== 'field').length > 1;
}

function valuesAt(object: string, steps: readonly Step[]): { values: string; isWhole: boolean } {
  const [before, list, after] = atList(steps);
  const place = pathOf(object, before);
  const guard = guardOf(object, before);
  if (!list) return { values: `${guard} ? [${place}] : []`, isWhole: true };
  const [inner, nested] = atList(after);
  const items = list.into === 'values' ? `${place}.map(key, ${place}[key])` : place;
  const there = [
    ...(inner.length > 0 ? [guardOf('each', inner)] : []),
    ...(nested ? [`${pathOf('each', inner)}.size() > 0`] : []),
  ];
  const chosen = there.length > 0 ? `.filter(each, ${there.join(' && ')})` : '';
  const reached = inner.length > 0 ? `.map(each, ${pathOf('each', inner)})` : '';
  return { values: `${guard} ? ${items}${chosen}${reached} : []`, isWhole: !nested };
}

/** The fields up to the first list or map, that, and what comes after it. */
function atList(steps: readonly Step[]): [FieldStep[], Exclude<Step, FieldStep> | undefined, readonly Step[]] {
  const at = steps.findIndex(({ into }) => into !== 'field');
  const before = (at < 0 ? steps : steps.slice(0, at)) as FieldStep[];
  return [before, steps[at] as Exclude<Step, FieldStep> | undefined, at < 0 ? [] : steps.slice(at + 1)];
}

function guardOf(root: string, steps: readonly FieldStep[]): string {
  const guards = steps.flatMap(({ name, nullable }, index) => {
    const parent = pathOf(root, steps.slice(0, index));
    const there = isPlain(name) ? `has(${parent}.${name})` : `${celLiteral(name)} in ${parent}`;
    return nullable ? [there, `${pathOf(root, steps.slice(0, index + 1))} != null`] : [there];
  });
  return guards.join(' && ');
}

function pathOf(root: string, steps: readonly FieldStep[]): string {
  return steps.reduce((path, { name }) => (isPlain(name) ? `${path}.${name}` : `${path}[${celLiteral(name)}]`), root);
}

// Policies see objects as maps, in which nothing is escaped: what is no name in CEL is written as a key.
function isPlain(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && celField(name) === name;
}
