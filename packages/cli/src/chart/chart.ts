/** A Helm chart of one or several operators: all its files, from what the operators say of themselves. Pure. */
import { stringify } from 'yaml';
import type { PlannedFile } from '../files/template.ts';
import { DEFAULT_RESOURCES } from '../manifests/description.ts';
import { type ChartOperator, operatorTemplates } from './operator-templates.ts';
import { helpers, notes } from './texts.ts';
import { valuesSchema } from './values-schema.ts';

/** What a chart is called, and of what it is made. */
export interface ChartOptions {
  readonly name: string;
  readonly description: string;
  /** Of the chart, and of the images unless the values say otherwise. */
  readonly version: string;
  readonly operators: readonly ChartOperator[];
  /** More templates, for example a dashboard: by path, as Helm reads them. */
  readonly extra?: readonly PlannedFile[];
  /** The values that these use, with their defaults. */
  readonly extraValues?: Readonly<Record<string, unknown>>;
  /** More to say once it is installed: a template, too. */
  readonly notes?: string;
}

/** By path, below the chart's folder. */
export function chartFiles(options: ChartOptions): PlannedFile[] {
  const { name, description, version, operators, extra = [] } = options;
  const chart = {
    apiVersion: 'v2',
    name,
    description,
    type: 'application',
    version,
    appVersion: version,
    kubeVersion: '>=1.30.0-0',
  };
  const values = valuesOf(options);
  return [
    { path: 'Chart.yaml', text: stringify(chart) },
    { path: 'values.yaml', text: VALUES_HEAD + stringify(values) },
    { path: 'values.schema.json', text: `${JSON.stringify(valuesSchema(name, values), undefined, 2)}\n` },
    { path: 'templates/_helpers.tpl', text: helpers },
    { path: 'templates/NOTES.txt', text: notes(operators) + (options.notes ?? '') },
    ...operators.flatMap(operatorTemplates),
    ...extra,
  ];
}

const VALUES_HEAD = '# What can be set, with what it is unless it is set; README.md says what each does.\n';

function valuesOf({ operators, extraValues = {} }: ChartOptions): Record<string, unknown> {
  return {
    crds: { install: true, keep: true },
    imagePullSecrets: [],
    ...Object.fromEntries(operators.map((operator) => [operator.key, operatorValues(operator)])),
    ...extraValues,
  };
}

function operatorValues(operator: ChartOperator): object {
  const { enabled, repository, facts, optionalRoles = {}, withheldRoles = {}, moreValues = {} } = operator;
  const all = (roles: object, isOn: boolean) => Object.keys(roles).map((role) => [role, isOn]);
  const roles = Object.fromEntries([...all(optionalRoles, false), ...all(withheldRoles, true)]);
  return {
    enabled,
    image: { repository, tag: '', digest: '', pullPolicy: 'IfNotPresent' },
    replicas: 2,
    watchNamespaces: [],
    resources: DEFAULT_RESOURCES,
    env: [],
    ...(Object.keys(roles).length > 0 ? { roles } : {}),
    userRoles: { enabled: true },
    ...(facts.policies ? { referencePolicy: { enabled: true } } : {}),
    networkPolicy: { enabled: true },
    disruptionBudget: { enabled: true },
    serviceMonitor: { enabled: false },
    nodeSelector: {},
    tolerations: [],
    priorityClassName: '',
    ...moreValues,
  };
}
