/** Writes down what is declared of a controller, step by step. */
import type { KubernetesObject } from '@kurator/client';
import type { Companion } from '../companion.ts';
import {
  type AnyType,
  type ControllerDefinition,
  type DeclaredHook,
  type DeclaredIndex,
  type DeclaredSchedule,
  HOME,
  type UsedKind,
  type WatchedKind,
} from '../definition.ts';
import type { ControllerBuilder } from '../operator.ts';
import type { ControllerSettings } from '../settings.ts';

/** @param finish Takes what was declared, and gives the operator back. */
export function controllerBuilder(
  type: AnyType,
  settings: ControllerSettings<KubernetesObject>,
  finish: (definition: ControllerDefinition) => unknown,
): ControllerBuilder<KubernetesObject, string, string> {
  const kinds: WatchedKind[] = [];
  const uses: UsedKind[] = [];
  const indexes: DeclaredIndex[] = [];
  const schedules: DeclaredSchedule[] = [];
  const hooks: DeclaredHook[] = [];
  const companions: Companion[] = [];
  let cleanup: ControllerDefinition['cleanup'];
  const home = settings.cluster;
  const placed = <S extends { cluster?: string }>(given: S = {} as S): S =>
    home ? { cluster: home, ...given } : given;
  // Here the kinds of a controller lose their types: from now on each is only ever met by functions of its own.
  const add = (role: WatchedKind['role'], type: unknown, given: object | undefined, map?: unknown) => {
    kinds.push({ role, type, settings: placed(given), ...(map ? { map } : {}) } as WatchedKind);
  };
  const builder: ControllerBuilder<KubernetesObject, string, string> = {
    owns(type, settings) {
      add('own', type, settings);
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
      const { cluster = HOME, subresource } = placed(settings);
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
      cleanup = given as ControllerDefinition['cleanup'];
      return builder;
    },
    reconcile(reconcile) {
      const name = settings.name ?? type.kind.toLowerCase();
      const declared = { kinds, uses, indexes, schedules, hooks, companions, cleanup };
      return finish({ name, type, settings, ...declared, reconcile } as ControllerDefinition) as never;
    },
  };
  return builder;
}

function listOf(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
