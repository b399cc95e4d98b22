/** The Grafana dashboard: deploy/monitoring/grafana-dashboard.json is made of this. */
import { type Panel, rows } from './panels.ts';

const height = 7;
// biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana fills it in.
const datasource = { type: 'prometheus', uid: '${datasource}' };

/** As Grafana reads it. */
export function dashboard(): object {
  const panels: object[] = [];
  let y = 0;
  for (const [title, group] of Object.entries(rows)) {
    panels.push({ id: panels.length + 1, type: 'row', title, collapsed: false, gridPos: { x: 0, y, w: 24, h: 1 } });
    y++;
    let x = 0;
    for (const panel of group) {
      const { width = 8 } = panel;
      if (x + width > 24) {
        x = 0;
        y += height;
      }
      panels.push({ id: panels.length + 1, ...panelOf(panel), gridPos: { x, y, w: width, h: height } });
      x += width;
    }
    y += height;
  }
  return {
    uid: 'kurator-healer',
    title: 'Kurator: services and their incidents',
    description: 'Made from operators/kurator/test/support/monitoring.',
    tags: ['kurator'],
    editable: true,
    schemaVersion: 39,
    version: 1,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: '',
    templating: { list: [datasourceVariable, variable('namespace'), variable('service', '{namespace=~"$namespace"}')] },
    annotations: { list: [] },
    links: [],
    panels,
  };
}

function panelOf({ title, kind = 'timeseries', unit = 'short', description, queries, red }: Panel): object {
  const isInstant = kind !== 'timeseries';
  const steps = [{ color: 'green', value: null }, ...(red === undefined ? [] : [{ color: 'red', value: red }])];
  return {
    type: kind,
    title,
    ...(description && { description }),
    datasource,
    fieldConfig: {
      defaults: { unit, ...(kind === 'stat' && { thresholds: { mode: 'absolute', steps } }) },
      overrides: [],
    },
    options: {},
    targets: Object.entries(queries).map(([legendFormat, expr], index) => ({
      refId: String.fromCharCode(65 + index),
      datasource,
      expr,
      legendFormat,
      ...(isInstant ? { instant: true, range: false } : { range: true }),
      ...(kind === 'table' && { format: 'table' }),
    })),
  };
}

const datasourceVariable = { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' };

function variable(name: string, selector = ''): object {
  const query = `label_values(kurator_service_instances_desired${selector}, ${name})`;
  return {
    name,
    type: 'query',
    datasource,
    query: { query, refId: name },
    definition: query,
    includeAll: true,
    multi: true,
    allValue: '.*',
    current: { text: ['All'], value: ['$__all'] },
    refresh: 2,
    sort: 1,
  };
}
