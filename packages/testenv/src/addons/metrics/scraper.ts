import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { messageOf, TestenvError } from '../../error.ts';
import { type Reporter, silent } from '../../reporter.ts';
import { parseKubeletSample } from './kubelet-sample.ts';
import { type NodeTracks, type NodeUsage, noTracks, track, usageOf } from './usage.ts';

/** Where a node's kubelet is. */
export interface KubeletAddress {
  readonly node: string;
  /** For example `https://10.200.0.11:10250`. */
  readonly url: string;
}

/** PEM texts with which a kubelet is trusted and asked. */
export interface KubeletCredentials {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface ScraperOptions {
  kubelets: readonly KubeletAddress[];
  credentials: KubeletCredentials;
  /** Milliseconds between two looks at a kubelet, which measures every 10 s itself; 10 s unless told. */
  interval?: number;
  reporter?: Reporter;
}

/** Asks every kubelet, again and again, what its node and pods use. */
export interface Scraper {
  /** What is known of a node; undefined before the first answer, and while it doesn't answer. */
  usage(node: string): NodeUsage | undefined;
  stop(): Promise<void>;
}

const INTERVAL = 10_000;
// Until a rate can be told, a quicker look finds the kubelet's second reading sooner.
const FIRST_INTERVAL = 2_000;
const SCRAPE_TIMEOUT = 5_000;
const LONGEST_PAGE = 32 * 1024 * 1024;

/** Begins to ask the kubelets. */
export function startScraper(options: ScraperOptions): Scraper {
  const { kubelets, credentials, interval = INTERVAL, reporter = silent } = options;
  const agent = new Agent({
    allowH2: false,
    connect: { ...credentials, allowH2: false },
    maxResponseSize: LONGEST_PAGE,
  });
  const usages = new Map<string, NodeUsage>();
  const stopping = new AbortController();
  const { signal } = stopping;

  async function watchKubelet({ node, url }: KubeletAddress): Promise<void> {
    let tracks: NodeTracks = noTracks;
    let answered = true;
    while (!signal.aborted) {
      try {
        tracks = track(tracks, parseKubeletSample(await fetchPage(agent, url, signal), Date.now()));
        usages.set(node, usageOf(tracks));
        answered = true;
      } catch (error) {
        usages.delete(node);
        // Once an outage is enough: a node may be off for hours.
        if (answered && !signal.aborted) reporter.verbose(`no metrics from node ${node}: ${messageOf(error)}`);
        answered = false;
      }
      const known = usages.get(node)?.node !== undefined;
      await delay(known ? interval : Math.min(interval, FIRST_INTERVAL), undefined, { signal }).catch(() => {});
    }
  }

  const watching = kubelets.map(watchKubelet);
  return {
    usage: (node) => usages.get(node),
    async stop() {
      stopping.abort();
      await Promise.all(watching);
      await agent.destroy();
    },
  };
}

async function fetchPage(agent: Agent, url: string, signal: AbortSignal): Promise<string> {
  const { statusCode, body } = await request(`${url}/metrics/resource`, {
    dispatcher: agent,
    signal: AbortSignal.any([signal, AbortSignal.timeout(SCRAPE_TIMEOUT)]),
  });
  const text = await body.text();
  if (statusCode === 200) return text;
  throw new TestenvError('KUR_TESTENV_METRICS_SCRAPE', `the kubelet answered with HTTP status ${statusCode}`);
}
