/** An admission policy: nobody gets done by an operator what he may not do himself. */
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  Validation,
  Variable,
} from '@kurator/client/admissionregistration/v1';
import { celLiteral } from '../cel.ts';
import type { Resource } from '../definition.ts';
import { SchemaError } from '../error.ts';
import { gathered, isNested, signedFields } from './gather.ts';
import { type ReferenceField, referenceFieldsIn, type Signature, signaturesIn } from './marked-fields.ts';

/**
 * How often a policy may ask whether somebody is allowed something: the server reckons 350,000 for each time, and stops at
 * 10,000,000 for all of a policy and at 1,000,000 for one expression of it. The rest is for gathering.
 */
const MOST_CHECKS = 26;
/** Above so many references it is only looked at whether anything changed, not what. */
const MOST_COMPARED = 64;

/** What is put on a policy. */
export interface PolicyOptions {
  labels?: Record<string, string>;
}

/**
 * The policy and its binding for the fields of a resource that refer to other objects, as `reference` and the fields of
 * Kubernetes say, or to who wrote them (`signedBy`); nothing where there are none. Whoever sets such a field must be allowed to do what the operator will do
 * for it; what stays as it was is not asked about, so that others can edit the rest.
 */
export function referencePolicyOf(
  resource: Resource,
  { labels }: PolicyOptions = {},
): [] | [ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding] {
  const { group, version, plural, spec, scope } = resource.definition;
  const rights = rightsOf(referenceFieldsIn(spec));
  const signatures = signaturesIn(spec);
  if (rights.length === 0 && signatures.length === 0) return [];
  if (scope === 'Cluster') checkNamespaces(rights);
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const name = `references.${plural}.${group}`;
  const metadata = { name, ...(labels ? { labels } : {}) };
  const rule = {
    apiGroups: [group],
    apiVersions: [version],
    resources: [plural],
    operations: ['CREATE' as const, 'UPDATE' as const],
  };
  const slots = slotsOf(rights);
  const policy: ValidatingAdmissionPolicy = {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata,
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: [rule] },
      variables: [...rights.flatMap(variablesOf), ...signatures.flatMap(signedVariables)],
      validations: [
        ...rights.flatMap((right, index) => validationsOf(right, index, slots[index] ?? 1)),
        ...signatures.map(signedValidation),
      ],
    },
  };
  const spec_ = { policyName: name, validationActions: ['Deny' as const] };
  return [policy, { apiVersion, kind: 'ValidatingAdmissionPolicyBinding', metadata, spec: spec_ }];
}

/** The fields that need the same right, so that each right is asked for in one place. */
type Right = readonly [ReferenceField, ...ReferenceField[]];

function rightsOf(fields: readonly ReferenceField[]): Right[] {
  const alike = Map.groupBy(fields, ({ reference: { to, subresource, verbs } }) =>
    JSON.stringify([to.apiVersion, to.plural, subresource, verbs]),
  );
  return [...alike.values()] as unknown as Right[];
}

/** How many references each right is asked for one by one: all that there can be, or as many as there are checks for. */
function slotsOf(rights: readonly Right[]): number[] {
  const slots = rights.map(() => 1);
  const spent = () =>
    rights.reduce((sum, [{ reference }], index) => sum + reference.verbs.length * (slots[index] ?? 0), 0);
  if (spent() > MOST_CHECKS) {
    const remedy = 'name fewer verbs, or leave fields to others with unchecked()';
    const what = `its references ask for ${spent()} rights, and the server has time for ${MOST_CHECKS}; ${remedy}`;
    throw new SchemaError('KUR_SCHEMA_REFERENCE', what, { path: 'spec', remedy });
  }
  for (let before = 0; before !== spent(); ) {
    before = spent();
    for (const [index, right] of rights.entries()) {
      const isWanted = (slots[index] ?? 0) < most(right);
      if (isWanted && spent() + right[0].reference.verbs.length <= MOST_CHECKS) slots[index] = (slots[index] ?? 0) + 1;
    }
  }
  return slots;
}

function most(right: Right): number {
  const counts = right.map((field) => {
    if (field.name === '' || isNested(field)) return 1;
    return field.steps.reduce((count, step) => (step.into === 'field' ? count : count * step.most), 1);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

function variablesOf(right: Right, index: number): Variable[] {
  const all = (object: string) => right.map((field) => gathered(object, field)).join(' + ');
  const [now, before] = [`variables.now${index}`, `variables.before${index}`];
  const changed = `${now}.filter(each, !(each in ${before}))`;
  return [
    { name: `now${index}`, expression: all('object') },
    { name: `before${index}`, expression: `oldObject == null ? [] : ${all('oldObject')}` },
    {
      name: `new${index}`,
      expression: `${now} == ${before} ? [] : ${now}.size() > ${MOST_COMPARED} ? ${now} : ${changed}`,
    },
  ];
}

/** One check an expression: the server's limit for one expression has room for two. */
function validationsOf(right: Right, index: number, slots: number): Validation[] {
  const { verbs } = right[0].reference;
  return Array.from({ length: slots }, (_, slot) =>
    verbs.map((verb) => validationOf(right, index, slots, slot, verb)),
  ).flat();
}

function validationOf(right: Right, index: number, slots: number, slot: number, verb: string): Validation {
  const { to, subresource } = right[0].reference;
  const fresh = `variables.new${index}`;
  const one = `${fresh}[${slot}]`;
  const [group = ''] = to.apiVersion.includes('/') ? to.apiVersion.split('/') : [];
  const asked = `authorizer.group(${celLiteral(group)}).resource(${celLiteral(to.plural)})${subresource ? `.subresource(${celLiteral(subresource)})` : ''}`;
  const check = (namespace: string, name?: string) =>
    `${asked}${to.namespaced ? `.namespace(${namespace})` : ''}${name ? `.name(${name})` : ''}.check(${celLiteral(verb)}).allowed()`;
  // A new object has no name that a role could be limited to.
  const isNamed = verb !== 'create' || subresource !== undefined;
  const alone = check(`string(${one}.namespace)`, isNamed ? `string(${one}.name)` : undefined);
  // More than can be asked for one by one must be allowed as a whole: in all namespaces where they can name one.
  const together = check(right.some(({ namespace }) => namespace) ? "''" : 'request.namespace');
  const what = `${to.plural}${group ? `.${group}` : ''}${subresource ? `/${subresource}` : ''}`;
  const named = `(${one}.name == '' ? '' : ' "' + string(${one}.name) + '"')`;
  const where = to.namespaced ? ` + ' in namespace ' + string(${one}.namespace)` : '';
  const demand = `must be allowed to ${verb} ${what}`;
  return {
    expression:
      slot === 0
        ? `${fresh}.size() == 0 || (${fresh}.size() > ${slots} ? ${together} : ${alone})`
        : `${fresh}.size() <= ${slot} || ${fresh}.size() > ${slots} || ${alone}`,
    message: `who sets ${right.map(({ path }) => path).join(' or ')} ${demand}`,
    messageExpression: `string(${one}.field) + ': who sets this ${demand}' + ${named}${where} + ', and ' + request.userInfo.username + ' is not'`,
    reason: 'Forbidden',
  };
}

function signedVariables(signature: Signature, index: number): Variable[] {
  return [
    { name: `signed${index}`, expression: signedFields('object', signature) },
    {
      name: `signedBefore${index}`,
      expression: `oldObject == null ? [] : ${signedFields('oldObject', signature)}`,
    },
  ];
}

function signedValidation({ path, by, fields }: Signature, index: number): Validation {
  const [now, before] = [`variables.signed${index}`, `variables.signedBefore${index}`];
  const demand = `${path}.${by}: who sets it or ${fields.map((field) => `${path}.${field}`).join(', ')} must give his own name`;
  return {
    expression: `${now} == ${before} || ${now}.all(each, each.size() == 0) || ${now}[0] == [request.userInfo.username]`,
    message: demand,
    messageExpression: `${celLiteral(`${demand}, which is `)} + request.userInfo.username`,
    reason: 'Forbidden',
  };
}

function checkNamespaces(rights: readonly Right[]): void {
  const homeless = rights.flat().find(({ namespace, reference }) => reference.to.namespaced && namespace === undefined);
  if (!homeless) return;
  const remedy = 'give namespace, CEL about self';
  const what = `an object of the whole cluster refers to a ${homeless.reference.to.kind} without its namespace; ${remedy}`;
  throw new SchemaError('KUR_SCHEMA_REFERENCE', what, { path: homeless.path, remedy });
}
