/** How a fault comes into a cluster, and how it goes. */
import type { Client, Container, Pod } from '@kurator/client';
import { CliError } from '@kurator/command';
import type { DrillSubject } from '../drill-subject.ts';

/** What a means works on. */
export interface Stage {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** The drill's, short. */
  readonly id: string;
  /** Whose pods are to fail. */
  readonly subject: DrillSubject;
  readonly pods: readonly Pod[];
  /** Which container of a pod; the one that `kubectl exec` would choose unless given. */
  readonly container?: string | undefined;
  /** The image of what runs beside a pod's container; the pod's own unless given. */
  readonly image?: string | undefined;
  /** Of a hundred packets. */
  readonly percent: number;
  /** How long it lasts if nobody ends it. */
  readonly seconds: number;
}

/** A way to make one fault. */
export interface Means {
  /** In words: what is done, and by what. */
  readonly plan: string;
  /** Whether it could be done. Changes nothing; says with an error what is missing. */
  check(): Promise<void>;
  /** Resolves with the moment at which the fault was there. */
  inject(): Promise<number>;
  /** Takes it away; harmless if it is gone. Must work when all else was given up. */
  heal(): Promise<void>;
}

/** The container that is meant. */
export function containerOf({ metadata, spec }: Pod, name?: string): Container {
  const wanted = name ?? metadata.annotations?.['kubectl.kubernetes.io/default-container'];
  const containers = spec?.containers ?? [];
  const found = wanted === undefined ? containers[0] : containers.find((one) => one.name === wanted);
  if (found) return found;
  const names = containers.map((one) => one.name).join(', ');
  throw new CliError('KUR_CLI_USAGE', `${metadata.name} has no container "${wanted}"`, { remedy: `it has ${names}` });
}

/** What a fault needs, and is not there. */
export function missing(what: string, remedy: string, cause?: unknown): CliError {
  return new CliError('KUR_CLI_DRILL_MEANS', what, { remedy, cause });
}
