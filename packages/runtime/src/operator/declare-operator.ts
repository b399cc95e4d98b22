/** `operator()`: begins the declaration of an operator, and turns it into something that runs. */
import type { KubernetesObject } from '@kurator/client';
import { RuntimeError } from '../error.ts';
import type { AnyType, ClusterAccess, ControllerDefinition, OperatorDefinition } from './definition.ts';
import { dryRunOperator } from './dry-run/dry-run.ts';
import { controllerBuilder } from './internal/controller-builder.ts';
import { resourcesOf } from './internal/resources.ts';
import type { Operator } from './operator.ts';
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
      const declared = (controller: ControllerDefinition) => {
        if (controllers.some(({ name }) => name === controller.name)) {
          throw invalid(
            `there are two controllers called ${controller.name}`,
            `give one of them a name: .controller(${type.kind}, { name: '…' })`,
          );
        }
        controllers.push(controller);
        return self;
      };
      return controllerBuilder(type as AnyType, settings as ControllerSettings<KubernetesObject>, declared) as never;
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
    run: (options) => runOperator(definition, self.name, options),
    start: (options) => startOperator(definition, self.name, options),
    permissions: (cluster) => permissionsOf(definition, self.name, cluster),
    dryRun: (options) => dryRunOperator(definition, self.name, options),
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

function invalid(message: string, remedy: string): RuntimeError {
  return new RuntimeError('KUR_RUNTIME_INVALID_OPTION', message, { remedy });
}
