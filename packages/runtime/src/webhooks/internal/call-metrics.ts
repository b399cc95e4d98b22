/** What the webhooks are asked and how quickly they answer, under the names and labels of controller-runtime. */
import type { KeyPair } from '@kurator/pki';
import { Histogram } from '../../insight/histogram.ts';
import type { MetricFamily } from '../../insight/metric-family.ts';

// Prometheus' own defaults, as controller-runtime uses them here.
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

class Tally {
  readonly byStatus = new Map<number, number>();
  readonly latency = new Histogram(bounds);
  underWay = 0;
}

export class CallMetrics {
  readonly #tallies = new Map<string, Tally>();
  readonly families: readonly MetricFamily[];

  constructor(served: () => KeyPair | undefined) {
    const tallies = this.#tallies;
    this.families = [
      {
        type: 'counter',
        name: 'controller_runtime_webhook_requests_total',
        help: 'Calls of webhooks, by the HTTP status of the answer',
        *samples() {
          for (const [webhook, { byStatus }] of tallies) {
            for (const [code, value] of byStatus) yield { labels: { webhook, code: String(code) }, value };
          }
        },
      },
      {
        type: 'histogram',
        name: 'controller_runtime_webhook_latency_seconds',
        help: 'How long answers of webhooks take',
        *samples() {
          for (const [webhook, { latency }] of tallies) yield* latency.samples({ webhook });
        },
      },
      {
        type: 'gauge',
        name: 'controller_runtime_webhook_requests_in_flight',
        help: 'Calls of webhooks that are being answered',
        *samples() {
          for (const [webhook, { underWay }] of tallies) yield { labels: { webhook }, value: underWay };
        },
      },
      {
        type: 'gauge',
        name: 'kurator_webhook_certificate_expiry_seconds',
        help: 'Until when the certificate that is served is valid, in seconds since 1970',
        *samples() {
          const pair = served();
          if (pair) yield { labels: {}, value: pair.certificate.until / 1000 };
        },
      },
    ];
  }

  begin(webhook: string): void {
    this.#tally(webhook).underWay++;
  }

  end(webhook: string, status: number, seconds: number): void {
    const tally = this.#tally(webhook);
    tally.underWay--;
    tally.byStatus.set(status, (tally.byStatus.get(status) ?? 0) + 1);
    tally.latency.observe(seconds);
  }

  #tally(webhook: string): Tally {
    const known = this.#tallies.get(webhook) ?? new Tally();
    this.#tallies.set(webhook, known);
    return known;
  }
}
