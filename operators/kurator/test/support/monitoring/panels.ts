/** What the Grafana dashboard shows: rows of panels, each with its queries. */

type Kind = 'stat' | 'timeseries' | 'table' | 'bargauge';

export interface Panel {
  readonly title: string;
  readonly kind?: Kind;
  readonly unit?: string;
  /** Of 24 columns. */
  readonly width?: number;
  readonly description?: string;
  /** By legend. */
  readonly queries: Readonly<Record<string, string>>;
  /** From which value on it is shown in red. */
  readonly red?: number;
}

const here = '{namespace=~"$namespace", service=~"$service"}';
const where = (more: string) => here.replace('}', `, ${more}}`);

export const rows: Readonly<Record<string, readonly Panel[]>> = {
  Now: [
    {
      title: 'Healer: last heartbeat',
      kind: 'stat',
      unit: 's',
      width: 4,
      red: 60,
      description: 'Above a minute nobody looks after the services.',
      queries: { ago: 'time() - max(kurator_heartbeat_timestamp_seconds)' },
    },
    {
      title: 'Watches: how old',
      kind: 'stat',
      unit: 's',
      width: 4,
      red: 30,
      description: 'Above half a minute nothing is repaired.',
      queries: { age: 'time() - max(kurator_watches_current_timestamp_seconds)' },
    },
    { title: 'Services', kind: 'stat', width: 4, queries: { services: 'max(kurator_services)' } },
    {
      title: 'Open incidents',
      kind: 'stat',
      width: 4,
      red: 1,
      queries: { open: `count(kurator_incident_open${here}) or vector(0)` },
    },
    {
      title: 'Need on-call',
      kind: 'stat',
      width: 4,
      red: 1,
      queries: {
        waiting: `count(kurator_incident_open${where('stage=~"handedOver|quarantined|proposed"')}) or vector(0)`,
      },
    },
    { title: 'Storm', kind: 'stat', width: 2, red: 1, queries: { storm: 'max(kurator_storm)' } },
    {
      title: 'Switched off',
      kind: 'stat',
      width: 2,
      red: 1,
      description: "1 while the cluster's switch is not on: nothing is repaired.",
      queries: { 'not on': 'max(kurator_switch{mode!="On"}) or vector(0)' },
    },
  ],
  Services: [
    {
      title: 'Health',
      width: 12,
      description: 'Services by the word that says how they are.',
      queries: { '{{health}}': `sum by (health) (kurator_service_health${here})` },
    },
    {
      title: 'Pods',
      width: 12,
      queries: {
        '{{health}}': `sum by (health) (kurator_service_instances${here})`,
        desired: `sum(kurator_service_instances_desired${here})`,
      },
    },
    {
      title: 'Availability',
      kind: 'bargauge',
      unit: 'percentunit',
      width: 8,
      queries: { '{{namespace}}/{{service}}': `bottomk(20, kurator_service_availability_ratio${here})` },
    },
    {
      title: 'Full health',
      kind: 'bargauge',
      unit: 'percentunit',
      width: 8,
      queries: { '{{namespace}}/{{service}}': `bottomk(20, kurator_service_full_health_ratio${here})` },
    },
    {
      title: 'Mean times',
      kind: 'table',
      unit: 's',
      width: 8,
      queries: {
        'to detect': `kurator_service_time_to_detect_seconds${here}`,
        'to recover': `kurator_service_time_to_recover_seconds${here}`,
      },
    },
  ],
  Incidents: [
    {
      title: 'Open, by stage and cause',
      kind: 'table',
      width: 12,
      queries: { '{{namespace}}/{{service}}': `kurator_incident_open${here}` },
    },
    {
      title: 'Held up',
      kind: 'table',
      width: 12,
      queries: { '{{namespace}}/{{service}}': `kurator_incident_held${here}` },
    },
    {
      title: 'New incidents an hour',
      width: 8,
      queries: {
        '{{namespace}}/{{service}}': `topk(10, sum by (namespace, service) (increase(kurator_incidents_total${here}[1h])))`,
      },
    },
    {
      title: 'The last ones, by cause and end',
      kind: 'bargauge',
      width: 8,
      queries: { '{{cause}} {{end}}': `sum by (cause, end) (kurator_incidents_closed${here})` },
    },
    {
      title: 'Changes of stage',
      width: 8,
      queries: { '{{stage}}': 'sum by (stage) (increase(kurator_stage_changes_total[$__rate_interval]))' },
    },
    {
      title: 'Time to detect',
      unit: 's',
      width: 12,
      queries: {
        median: 'histogram_quantile(0.5, sum by (le) (increase(kurator_time_to_detect_seconds_bucket[$__range])))',
        'p95 {{cause}}':
          'histogram_quantile(0.95, sum by (le, cause) (increase(kurator_time_to_detect_seconds_bucket[$__range])))',
      },
    },
    {
      title: 'Time to recover',
      unit: 's',
      width: 12,
      queries: {
        median: 'histogram_quantile(0.5, sum by (le) (increase(kurator_time_to_recover_seconds_bucket[$__range])))',
        'p95 {{cause}}':
          'histogram_quantile(0.95, sum by (le, cause) (increase(kurator_time_to_recover_seconds_bucket[$__range])))',
      },
    },
  ],
  Repairs: [
    {
      title: 'Steps, by result',
      width: 8,
      queries: { '{{step}} {{result}}': 'sum by (step, result) (increase(kurator_steps_total[$__rate_interval]))' },
    },
    {
      title: 'Actions, by outcome',
      width: 8,
      queries: { '{{kind}} {{outcome}}': 'sum by (kind, outcome) (increase(kurator_actions_total[$__rate_interval]))' },
    },
    {
      title: 'Repairs that count against the budget',
      width: 8,
      queries: { '{{namespace}}/{{service}}': `topk(10, kurator_repairs_recent${here})` },
    },
    {
      title: 'Notices to dependants',
      width: 8,
      queries: {
        '{{phase}}': 'sum by (phase) (increase(kurator_notices_total[$__rate_interval]))',
        '{{answer}}': 'sum by (answer) (increase(kurator_notice_answers_total[$__rate_interval]))',
      },
    },
    {
      title: 'Scaling',
      width: 8,
      queries: {
        '{{direction}} {{outcome}}': 'sum by (direction, outcome) (increase(kurator_scalings_total[$__rate_interval]))',
      },
    },
    {
      title: 'Pods within their bounds',
      width: 8,
      queries: {
        '{{service}} {{bound}}': `kurator_service_scaling_bound${here}`,
        '{{service}}': `kurator_service_instances_desired${here} and on (namespace, service) kurator_service_scaling_bound`,
      },
    },
  ],
  Alerts: [
    {
      title: 'Notifications',
      width: 8,
      queries: {
        '{{severity}} {{silenced}}':
          'sum by (severity, silenced) (increase(kurator_notifications_total[$__rate_interval]))',
      },
    },
    {
      title: 'Tries to deliver',
      width: 8,
      queries: {
        '{{sink}} {{outcome}}': 'sum by (sink, outcome) (increase(kurator_alert_attempts_total[$__rate_interval]))',
      },
    },
    {
      title: 'Waiting for their sink',
      width: 8,
      queries: { '{{namespace}}/{{channel}}': 'kurator_alerts_waiting{namespace=~"$namespace"}' },
    },
    {
      title: 'Delivered',
      width: 8,
      queries: {
        '{{namespace}}/{{channel}}':
          'increase(kurator_alerts_delivered_total{namespace=~"$namespace"}[$__rate_interval])',
      },
    },
    {
      title: 'Dropped',
      width: 8,
      queries: {
        '{{namespace}}/{{channel}}':
          'increase(kurator_alerts_dropped_total{namespace=~"$namespace"}[$__rate_interval])',
      },
    },
    {
      title: 'Channels in trouble',
      kind: 'table',
      width: 8,
      queries: {
        failing: 'kurator_alert_channel_failing{namespace=~"$namespace"} == 1',
        'oldest waits': 'time() - kurator_alerts_waiting_since_timestamp_seconds{namespace=~"$namespace"}',
      },
    },
  ],
  Checks: [
    {
      title: 'Results a second',
      unit: 'ops',
      width: 8,
      queries: { '{{outcome}}': 'sum by (outcome) (rate(kurator_check_results_total[$__rate_interval]))' },
    },
    {
      title: 'Lateness',
      unit: 's',
      width: 8,
      queries: Object.fromEntries(
        [0.5, 0.99].map((share) => [
          `p${share * 100}`,
          `histogram_quantile(${share}, sum by (le) (rate(kurator_check_lateness_seconds_bucket[$__rate_interval])))`,
        ]),
      ),
    },
    {
      title: 'Checks',
      width: 8,
      queries: {
        scheduled: 'sum(kurator_checks)',
        running: 'sum(kurator_checks_running)',
        waiting: 'sum(kurator_checks_waiting)',
        'missed a second': 'sum(rate(kurator_checks_missed_total[$__rate_interval]))',
      },
    },
  ],
};
