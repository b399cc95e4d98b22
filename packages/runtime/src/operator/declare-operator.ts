/** `operator()`: begins the declaration of an operator, and turns it into something that runs. */
import type { KubernetesObject } from '@kurator/client';
import { RuntimeError } from '../error.ts';
import type { Companion } from './author.ts';
import {
  type AnyType,
  type ClusterAccess,
  type ControllerDefinition,
  type DeclaredHook,
  type DeclaredIndex,
  type DeclaredSchedule,
  type OperatorDefinition,
  OWN_CLUSTER,
  type UsedKind,
  type WatchedKind,
} from './definition.ts';
import { dryRunOperator } from './dry-run/dry-run.ts';
import { isReconciled, isRemote, resourcesOf } from './internal/declared-kinds.ts';
import type { ControllerBuilder, Operator } from './operator.ts';
import type { OperatorOptions } from './operator-options.ts';
import { permissionsOf } from './permissions.ts';
import { runOperator } from './run.ts';
import type { ControllerSettings } from './settings.ts';
import { startOperator } from './start.ts';

/** Begins the declaration of an operator. */
export function operator(options: OperatorOptions = {}): Operator {
  const clusters = new Map<string, ClusterAccess>();
  const controllers: ControllerDefinition[] = [];
  const definition: OperatorDefinition = { options, clusters, controllers };
  const self: Operator<string> = {
    get name() {
      return nameOf(definition);
    },
    get resources() {
      return resourcesOf(definition);
    },
    controller(type, settings = {}) {
      const { definition: begun, builder } = controllerBuilder(type as AnyType, settings as never, self);
      if (controllers.some(({ name }) => name === begun.name)) {
        throw invalid(
          `there are two controllers called ${begun.name}`,
          `give one of them a name: .controller(${type.kind}, { name: '…' })`,
        );
      }
      controllers.push(begun);
      return builder as never;
    },
    cluster(name, access) {
      if (!namePattern.test(name) || clusters.has(name)) {
        throw invalid(
          `cluster "${name}": ${clusters.has(name) ? 'there is one of this name' : 'this is no name'}`,
          'use a name of its own, of at most 63 lower case letters, digits and dashes',
        );
      }
      clusters.set(name, access);
      return self;
    },
    run: async (options) => await runOperator(whole(definition), self.name, options),
    start: async (options) => await startOperator(whole(definition), self.name, options),
    permissions: async (cluster) => await permissionsOf(whole(definition), self.name, cluster),
    dryRun: async (options) => await dryRunOperator(whole(definition), self.name, options),
  };
  return self as unknown as Operator;
}

const namePattern = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

function nameOf({ options, controllers }: OperatorDefinition): string {
  const [first] = controllers;
  const name = options.name ?? (first ? `${first.type.kind.toLowerCase()}-operator` : undefined);
  if (name === undefined)
    throw invalid('an operator needs at least one controller', 'add .controller(Kind).reconcile(…)');
  if (namePattern.test(name)) return name;
  throw invalid(`"${name}" is no name for an operator`, 'use at most 63 lower case letters, digits and dashes');
}

/** Only one that was begun and left has nothing at all to do: where types are checked, there is none. */
function whole(definition: OperatorDefinition): OperatorDefinition {
  const idle = definition.controllers.find(
    (one) => !isReconciled(one) && one.schedules.length + one.hooks.length === 0,
  );
  if (!idle) return definition;
  throw invalid(`controller ${idle.name} has nothing to do`, 'give it what it is for: .reconcile(…)');
}

function invalid(message: string, remedy: string): RuntimeError {
  return new RuntimeError('KUR_RUNTIME_INVALID_OPTION', message, { remedy });
}

/** A controller as far as it is declared, and what it is declared by, which has what the operator has too. */
function controllerBuilder(
  type: AnyType,
  settings: ControllerSettings<KubernetesObject>,
  operator: Operator<string>,
): { definition: ControllerDefinition; builder: ControllerBuilder<KubernetesObject, string, string> } {
  const kinds: WatchedKind[] = [];
  const uses: UsedKind[] = [];
  const indexes: DeclaredIndex[] = [];
  const schedules: DeclaredSchedule[] = [];
  const hooks: DeclaredHook[] = [];
  const companions: Companion[] = [];
  const name = settings.name ?? type.kind.toLowerCase();
  const parts = { kinds, uses, indexes, schedules, hooks, companions };
  const definition: Writable<ControllerDefinition> = {
    name,
    type,
    settings,
    ...parts,
    reconcile: undefined,
    cleanup: undefined,
  };
  const placed = <S extends { cluster?: string }>(given: S = {} as S): S =>
    settings.cluster ? { cluster: settings.cluster, ...given } : given;
  // Here the kinds of a controller lose their types: from now on each is only ever met by functions of its own.
  const add = (role: WatchedKind['role'], type: unknown, given: object | undefined, map?: unknown) => {
    kinds.push({ role, type, settings: placed(given), ...(map ? { map } : {}) } as WatchedKind);
  };
  const own: ControllerBuilder<KubernetesObject, string, string> = {
    owns(type, settings) {
      add('own', type, settings);
      if (settings?.shared) checkShared(definition);
      return builder;
    },
    watches(type, map, settings) {
      add('watch', type, settings, map);
      return builder;
    },
    reads(type, settings) {
      add('read', type, settings);
      return builder;
    },
    uses(type, verbs, settings) {
      const { cluster = OWN_CLUSTER, subresource } = placed(settings);
      uses.push({ type, verbs, cluster, ...(subresource ? { subresources: [subresource] } : {}) });
      return builder;
    },
    index(type, name, value) {
      const values = (object: KubernetesObject) => listOf(value(object as never));
      indexes.push({ type: type as AnyType, name, values });
      return builder as never;
    },
    every(when, run, settings = {}) {
      schedules.push({ sort: 'every', name: settings.name, when, run, settings } as DeclaredSchedule);
      return builder;
    },
    cron(when, run, settings = {}) {
      schedules.push({ sort: 'cron', name: settings.name, when, run, settings } as DeclaredSchedule);
      return builder;
    },
    daemon(run, settings = {}) {
      schedules.push({ sort: 'daemon', name: settings.name, run, settings } as DeclaredSchedule);
      return builder;
    },
    beside(companion) {
      companions.push(companion);
      return builder;
    },
    validate(handler, options = {}) {
      hooks.push({ sort: 'validate', handler, options });
      return builder;
    },
    mutate(handler, options = {}) {
      hooks.push({ sort: 'mutate', handler, options });
      return builder;
    },
    cleanup(given) {
      definition.cleanup = given as ControllerDefinition['cleanup'];
      return builder;
    },
    reconcile(given) {
      definition.reconcile = given as ControllerDefinition['reconcile'];
      return operator;
    },
  };
  const builder = Object.defineProperties(own, Object.getOwnPropertyDescriptors(operator)) as typeof own &
    Operator<string>;
  return { definition, builder };
}

/** What has several owners must have owner references, or nobody could tell when the last of them is gone. */
function checkShared(definition: ControllerDefinition): void {
  const kind = definition.kinds.find((one) => one.settings.shared && isRemote(definition, one));
  if (!kind) return;
  throw invalid(
    `${definition.type.kind} can't share ${kind.type.kind}: Kubernetes would not know whose it is`,
    'share children in the namespace of their owners, which are deleted with them',
  );
}

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

function listOf(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
