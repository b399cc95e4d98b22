/** The healer's agents on the nodes, as an option of the chart and of the plain manifests. */
import type { DaemonSet, KubernetesObject, Manifest, PodSpec, Role, RoleBinding } from '@kurator/client';
import type { NetworkPolicy } from '@kurator/client/networking/v1';
import { agentDaemonSet, agentKey, optionalRoles } from '@kurator/operator-kurator';
import { stringify } from 'yaml';
import { blockHole, textHole } from '../../src/chart/holes.ts';
import { type ChartOperator, objectsFile } from '../../src/chart/operator-templates.ts';
import { yamlFile } from '../../src/files/generated-file.ts';
import type { PlannedFile } from '../../src/files/template.ts';
import type { OperatorDescription } from '../../src/manifests/description.ts';

const values = '.Values.kurator.agents';
const apiGroup = 'rbac.authorization.k8s.io';

/** What can be set of them in the chart. */
export const agentValues = {
  agents: {
    enabled: false,
    existingSecret: '',
    resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '128Mi' } },
    nodeSelector: {},
    tolerations: [{ operator: 'Exists' }],
  },
};

const defined = (part: string) => `kurator.agents.${part}`;
const included = (part: string) => `include "${defined(part)}" .`;

/** What the operator's own pods need besides, where there are agents. */
export const agentAccess: NonNullable<ChartOperator['more']> = {
  env: included('env'),
  volumeMounts: included('volumeMounts'),
  volumes: included('volumes'),
};

/** The templates of the chart. */
export function agentTemplates(operator: ChartOperator): PlannedFile[] {
  const namespace = textHole('.Release.Namespace');
  const image = textHole('include "kurator.image" (list . .Values.kurator.image)');
  const condition = `and .Values.kurator.enabled ${values}.enabled`;
  const secret = textHole(included('secret'));
  const daemonSet = withPlacement(agentDaemonSet({ namespace, image, secret }));
  return [
    { path: 'templates/kurator/_agents.tpl', text: helpers() },
    { path: 'templates/kurator/secret-agents.yaml', text: generatedSecret },
    objectsFile(operator, 'agents', condition, [...rights(operator.facts.name, namespace), whole(daemonSet)]),
    objectsFile(operator, 'networkpolicy-agents', `${condition} .Values.kurator.networkPolicy.enabled`, [
      networkPolicy(operator.facts.name, namespace),
    ]),
  ];
}

function whole(daemonSet: Manifest<DaemonSet>): KubernetesObject {
  return { apiVersion: 'apps/v1', kind: 'DaemonSet', ...daemonSet } as KubernetesObject;
}

function withPlacement({ spec, ...rest }: Manifest<DaemonSet>): Manifest<DaemonSet> {
  const { template, ...other } = spec as NonNullable<DaemonSet['spec']>;
  const { containers, ...pod } = template.spec as PodSpec;
  const placed: PodSpec = {
    imagePullSecrets: blockHole('.Values.imagePullSecrets'),
    ...pod,
    nodeSelector: blockHole(`${values}.nodeSelector`),
    tolerations: blockHole(`${values}.tolerations`),
    containers: containers.map((container) => ({
      ...container,
      imagePullPolicy: textHole('.Values.kurator.image.pullPolicy') as 'IfNotPresent',
      resources: blockHole<object>(`${values}.resources`),
    })),
  };
  return { ...rest, spec: { ...other, template: { ...template, spec: placed } } };
}

/** Lists for the operator's Deployment: empty without agents. */
function helpers(): string {
  const { volumes, container } = agentKey('⟦⟧');
  const parts = { env: container.env, volumeMounts: container.volumeMounts, volumes };
  const lists = Object.entries(parts).map(([part, list]) => {
    const text = stringify(list).replace('⟦⟧', `{{ ${included('secret')} }}`);
    return `{{- define "${defined(part)}" -}}\n{{- if ${values}.enabled }}\n${text}{{- end }}\n{{- end }}\n`;
  });
  const name = `{{- define "${defined('secret')}" -}}\n{{ ${values}.existingSecret | default "kurator-agent" }}\n{{- end }}\n`;
  return [name, ...lists].join('\n');
}

/** Made once, and the same after every upgrade. */
const generatedSecret = `{{- if and .Values.kurator.enabled ${values}.enabled (not ${values}.existingSecret) }}
{{- $known := lookup "v1" "Secret" .Release.Namespace "kurator-agent" }}
apiVersion: v1
kind: Secret
metadata:
  name: kurator-agent
  namespace: {{ .Release.Namespace | quote }}
  labels:
    app.kubernetes.io/name: kurator-node-agent
    app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
    app.kubernetes.io/instance: {{ .Release.Name | quote }}
    helm.sh/chart: {{ include "kurator.chart" . | quote }}
type: Opaque
data:
  key: {{ dig "data" "key" (randAlphaNum 48 | b64enc) $known }}
{{- end }}
`;

/** Only the operator asks them, and only there. */
function networkPolicy(operator: string, namespace: string): NetworkPolicy {
  const { metadata, spec } = agentDaemonSet({ namespace, image: '' });
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: metadata.name ?? '', namespace, labels: { ...metadata.labels } },
    spec: {
      podSelector: { matchLabels: { ...spec?.selector.matchLabels } },
      policyTypes: ['Ingress'],
      ingress: [
        {
          from: [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': operator } } }],
          ports: [{ port: 'agent', protocol: 'TCP' }],
        },
      ],
    },
  };
}

/** What the operator needs in order to find them. */
function rights(operator: string, namespace: string): (Role | RoleBinding)[] {
  const metadata = { name: `${operator}-agents`, namespace };
  const apiVersion = `${apiGroup}/v1`;
  return [
    { apiVersion, kind: 'Role', metadata, rules: [...optionalRoles.agents] },
    {
      apiVersion,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup, kind: 'Role', name: metadata.name },
      subjects: [{ kind: 'ServiceAccount', name: operator, namespace }],
    },
  ];
}

/** The base with agents, for Kustomize; the key is the user's to make. */
export function agentManifests({ name, image, namespace = name }: OperatorDescription): PlannedFile[] {
  const folder = 'manifests/kurator/agents';
  const { volumes, container } = agentKey();
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: { template: { spec: { containers: [{ name: 'operator', ...container }], volumes } } },
  };
  const objects = [
    ...rights(name, namespace),
    networkPolicy(name, namespace),
    whole(agentDaemonSet({ namespace, image })),
  ];
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: ['../base', 'agents.yaml'],
    patches: [{ path: 'operator-key.yaml' }],
  };
  return [
    yamlFile(`${folder}/agents.yaml`, objects),
    yamlFile(`${folder}/operator-key.yaml`, [deployment as KubernetesObject]),
    yamlFile(`${folder}/kustomization.yaml`, [kustomization as unknown as KubernetesObject]),
  ];
}
