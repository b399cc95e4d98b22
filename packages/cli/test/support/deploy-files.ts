/** Everything below deploy/ that is made: the chart of Kurator and of the other operators, their plain manifests, and Kurator's bundle. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settingValues } from '@kurator/kubectl-kurator';
import { optionalRoles, withheldRoles } from '@kurator/operator-kurator';
import { parse } from 'yaml';
import { chartFiles } from '../../src/chart/chart.ts';
import { templateOf, textHole } from '../../src/chart/holes.ts';
import type { ChartOperator } from '../../src/chart/operator-templates.ts';
import { describeProject } from '../../src/deploy/describe-project.ts';
import type { PlannedFile } from '../../src/files/template.ts';
import { base, install } from '../../src/generate/base.ts';
import type { Known } from '../../src/generate/generator.ts';
import { crds } from '../../src/generate/generators.ts';
import { bundleIn } from '../../src/generate/olm-bundle.ts';
import type { OperatorDescription } from '../../src/manifests/description.ts';
import { readListing } from '../../src/olm/listing.ts';
import { readSamples } from '../../src/olm/samples.ts';
import { agentAccess, agentManifests, agentTemplates, agentValues } from './agent-files.ts';
import { settingsEnv, settingsTemplate } from './setting-files.ts';
import { observing, switchNotes, switchTemplate, switchValues, withSwitch } from './switch-files.ts';

export const root = join(import.meta.dirname, '..', '..', '..', '..');
/** The first is what the chart is for; the others can be switched on. */
const operators = ['kurator', 'myapp', 'webserver', 'etcd'] as const;
type Name = (typeof operators)[number];
/** Those that catalogues offer, and below which folder their bundles are. */
const bundles: Partial<Readonly<Record<Name, string>>> = { kurator: 'bundle', etcd: 'bundle-etcd' };

/** By path, below deploy/. */
export async function deployFiles(): Promise<PlannedFile[]> {
  const described = await Promise.all(
    operators.map(
      async (name) => [name, await describeProject(join(root, 'operators', name), {}, neverAborted)] as const,
    ),
  );
  const { version } = JSON.parse(await readFile(join(root, 'packages/cli/package.json'), 'utf8')) as {
    version: string;
  };
  const parts = described.map(([name, description]) => chartOperator(name, description));
  const chart = chartFiles({
    name: 'kurator',
    description: 'Keeps services healthy: checks them, finds out what is wrong, repairs it, and tells who must know',
    version,
    operators: parts,
    extra: [settingsTemplate, ...parts.slice(0, 1).flatMap(agentTemplates), switchTemplate, ...(await monitoring())],
    notes: switchNotes,
    extraValues: {
      ...switchValues,
      dashboard: { enabled: false, labels: { grafana_dashboard: '1' } },
      alertRules: { enabled: false, labels: {} },
    },
  });
  const plain = described.map(
    ([name, operator]) => [name, name === operators[0] ? observing(operator) : operator] as const,
  );
  const offered = await Promise.all(
    plain.map(async ([name, operator]) => ({ name, operator, ...(await knownOf(name)) })),
  );
  return [
    ...chart.map(({ path, text }) => ({ path: `chart/${path}`, text })),
    ...offered.flatMap(({ name, operator, ...known }) => manifests(name, operator, known)),
    ...plain.slice(0, 1).flatMap(([, operator]) => agentManifests(operator)),
    ...offered.flatMap(({ name, ...known }) => {
      const folder = bundles[name];
      return folder ? bundleIn(folder).files(known) : [];
    }),
  ];
}

/** What people are told of an operator, from its own folder. */
async function knownOf(name: Name): Promise<Pick<Known, 'foreign' | 'listing' | 'samples'>> {
  const folder = join(root, 'operators', name);
  return { foreign: [], listing: await readListing(folder, name), samples: await readSamples(folder) };
}

/** To find agents is of use with them only: that role comes with them. */
const { agents: _, ...roles } = optionalRoles;

const neverAborted = new AbortController().signal;

function chartOperator(name: Name, { image, ...facts }: OperatorDescription): ChartOperator {
  const isFirst = name === operators[0];
  const repository = image.replace(/:[^/:]*$/, '');
  return {
    facts: { ...facts, name: facts.name },
    key: name,
    repository,
    enabled: isFirst,
    ...(isFirst
      ? {
          optionalRoles: roles,
          withheldRoles,
          more: withSwitch({ ...agentAccess, env: settingsEnv }),
          moreValues: { ...settingValues, ...agentValues },
        }
      : {}),
  };
}

function manifests(
  name: Name,
  operator: OperatorDescription,
  known: Pick<Known, 'foreign' | 'listing' | 'samples'>,
): PlannedFile[] {
  const files = [crds, base, install].flatMap((generator) => generator.files({ ...known, operator }));
  return files.map(({ path, text }) => ({ path: path.replace(/^deploy\//, `manifests/${name}/`), text }));
}

/** What watches the healer, as Grafana's and Prometheus' operators take it. */
async function monitoring(): Promise<PlannedFile[]> {
  const folder = join(root, 'deploy', 'monitoring');
  const dashboard = await readFile(join(folder, 'grafana-dashboard.json'), 'utf8');
  const { groups } = parse(await readFile(join(folder, 'prometheus-rules.yaml'), 'utf8')) as { groups: object[] };
  const metadata = (what: string) => ({
    name: `kurator-${what}`,
    namespace: textHole('.Release.Namespace'),
    labels: `⟦block .Values.${what === 'dashboard' ? 'dashboard' : 'alertRules'}.labels⟧`,
  });
  const rules = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: metadata('alert-rules'),
    spec: { groups },
  };
  const board = templateOf({ apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('dashboard') });
  return [
    { path: 'monitoring/grafana-dashboard.json', text: dashboard },
    {
      path: 'templates/monitoring/dashboard.yaml',
      text: `{{- if .Values.dashboard.enabled }}\n${board}data:\n  kurator.json: {{ .Files.Get "monitoring/grafana-dashboard.json" | quote }}\n{{- end }}\n`,
    },
    {
      path: 'templates/monitoring/alert-rules.yaml',
      text: `{{- if .Values.alertRules.enabled }}\n${templateOf(rules)}{{- end }}\n`,
    },
  ];
}
