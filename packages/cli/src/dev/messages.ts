/** What the command and the process that runs the operator tell each other. Plain data: it crosses a channel. */

/** To the process: `load` the operator's code, `start` it, `stop` it. */
export type Order = { readonly order: 'load' | 'stop' } | { readonly order: 'start'; readonly settings: DevSettings };

/** How the operator is run. */
export interface DevSettings {
  /** The context of the kubeconfig; the current one unless given. */
  readonly context?: string;
  /** The namespaces that it works in; all unless given. */
  readonly namespaces?: readonly string[];
  /** Who campaigns for the Lease; each process adds something of its own. */
  readonly identity: string;
  /** Where the Lease is. */
  readonly leaseNamespace: string;
  /** Where webhooks are served: always the same, so that the API server need not be told anew after each reload. */
  readonly webhookPort: number;
  /** Whether the lines of the SDK itself are shown too, which are no warnings. */
  readonly verbose: boolean;
}

/** From the process. */
export type Report =
  | { readonly report: 'warm' | 'up' }
  | { readonly report: 'loaded'; readonly operator: LoadedOperator }
  | { readonly report: 'failed'; readonly text: string }
  | ({ readonly report: 'reconciled' } & ReconciledReport)
  | { readonly report: 'log'; readonly level: 'info' | 'warn' | 'error'; readonly text: string };

/** What the loaded code says of itself. */
export interface LoadedOperator {
  readonly name: string;
  /** The names of the definitions (CRDs) of its own kinds. */
  readonly crds: readonly string[];
}

/** How a reconcile ended, and what had led to it. */
export interface ReconciledReport {
  readonly kind: string;
  readonly key: string;
  readonly outcome: string;
  readonly milliseconds: number;
  readonly why: readonly string[];
  /** When it will be called again if nothing changes meanwhile, after a failure or because it asked for it. */
  readonly againInSeconds?: number;
  readonly error?: string;
}
