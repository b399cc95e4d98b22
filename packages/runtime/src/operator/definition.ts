/** What an author has declared of an operator, as plain data: what runs, what may be done, and what would be written all follow from it. */
import type { Client, ClientConfig, KubernetesObject, ResourceType } from '@kurator/client';
import type { Usage } from '@kurator/schema';
import type { IndexFunction } from '../cache/object-table.ts';
import type { AdmissionOptions, MutateOptions } from '../webhooks/admission.ts';
import type { CleanupFunction, Companion, MutateFunction, ReconcileFunction, ValidateFunction } from './author.ts';
import type { ConcernedBy } from './lookup.ts';
import type { OperatorOptions } from './operator-options.ts';
import type { CronSettings, DaemonSettings, EverySettings, ScheduledFunction } from './scheduling.ts';
import type { ControllerSettings, OwnSettings } from './settings.ts';

/** The name of the cluster that the operator itself runs for; others have names of their own. */
export const OWN_CLUSTER = '';

export type AnyType = ResourceType<KubernetesObject>;

/** A kind that a controller looks at. */
export interface WatchedKind {
  readonly type: AnyType;
  readonly settings: OwnSettings<KubernetesObject>;
  /**
   * `own`: children of the reconciled object; `watch`: others whose changes concern it; `read`: for looking only.
   */
  readonly role: 'own' | 'watch' | 'read';
  readonly map?: ConcernedBy<KubernetesObject, string, string>;
}

/** A kind that the author's own requests are about, and what they do. */
export interface UsedKind extends Usage {
  readonly cluster: string;
}

/** Values under which objects of a kind are found. */
export interface DeclaredIndex {
  readonly type: AnyType;
  readonly name: string;
  readonly values: IndexFunction<KubernetesObject>;
}

/** Something that runs for each object beside the reconciles. */
export type DeclaredSchedule = { readonly name: string | undefined; readonly run: AnyScheduled } & (
  | { readonly sort: 'every'; readonly when: unknown; readonly settings: EverySettings<KubernetesObject> }
  | { readonly sort: 'cron'; readonly when: unknown; readonly settings: CronSettings<KubernetesObject> }
  | { readonly sort: 'daemon'; readonly settings: DaemonSettings<KubernetesObject> }
);

type AnyScheduled = ScheduledFunction<KubernetesObject, string, string>;

/** A webhook for the reconciled kind. */
export type DeclaredHook =
  | {
      readonly sort: 'validate';
      readonly handler: ValidateFunction<KubernetesObject>;
      readonly options: AdmissionOptions;
    }
  | { readonly sort: 'mutate'; readonly handler: MutateFunction<KubernetesObject>; readonly options: MutateOptions };

export interface ControllerDefinition {
  readonly name: string;
  readonly type: AnyType;
  readonly settings: ControllerSettings<KubernetesObject>;
  readonly kinds: readonly WatchedKind[];
  readonly uses: readonly UsedKind[];
  readonly indexes: readonly DeclaredIndex[];
  readonly schedules: readonly DeclaredSchedule[];
  readonly hooks: readonly DeclaredHook[];
  readonly companions: readonly Companion[];
  /** Undefined where nothing is reconciled: there are only schedules or webhooks. */
  readonly reconcile: ReconcileFunction<KubernetesObject, string, string> | undefined;
  readonly cleanup: CleanupFunction<KubernetesObject, string, string> | undefined;
}

/** How another cluster is reached: a client, a configuration, or the path of a kubeconfig. */
export type ClusterAccess = Client | ClientConfig | string;

export interface OperatorDefinition {
  readonly options: OperatorOptions;
  readonly clusters: ReadonlyMap<string, ClusterAccess>;
  readonly controllers: readonly ControllerDefinition[];
}
