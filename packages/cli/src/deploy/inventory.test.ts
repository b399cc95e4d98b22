import { expect, it } from 'vitest';
import { operatorManifests } from '../manifests/operator-manifests.ts';
import { exampleSource } from '../olm/example-source.ts';
import { itemOf, merged, unwanted } from './inventory.ts';

const { operator } = exampleSource;
const everywhere = { ...operator, permissions: { ...operator.permissions, cluster: [] } };
const made = operatorManifests(everywhere).map((object, at) => itemOf(object, `uid-${at}`));

it('has the rights of the whole cluster among what is not wanted once an operator works in some namespaces', () => {
  const narrowed = operatorManifests({ ...everywhere, namespaces: ['shop'] });
  const gone = unwanted({ items: made }, narrowed).map(({ kind, name }) => `${kind} ${name}`);
  expect(gone).toEqual([`ClusterRoleBinding ${operator.name}`, `ClusterRole ${operator.name}`]);
});

it('never has kinds, namespaces, data or the Deployment among it', () => {
  const kinds = unwanted(
    { items: [...made, { ...itemOf(operatorManifests(operator)[0] as never, 'x'), kind: 'Secret' }] },
    [],
  );
  expect(made.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['CustomResourceDefinition', 'Namespace']));
  const refused = ['CustomResourceDefinition', 'Namespace', 'Secret', 'Deployment'];
  expect(kinds.filter(({ kind }) => refused.includes(kind))).toEqual([]);
});

it('knows an object by its latest uid', () => {
  const [one] = made;
  const anew = { ...(one as (typeof made)[0]), uid: 'new' };
  expect(merged(made, [anew]).find(({ kind, name }) => kind === anew.kind && name === anew.name)?.uid).toBe('new');
});
