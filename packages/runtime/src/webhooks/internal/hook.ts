/** What was declared: the admission webhooks and conversions of one operator, checked and named. */
import type { KubernetesObject, ResourceType } from '@kurator/client';
import { parseDuration } from '../../duration.ts';
import { RuntimeError } from '../../error.ts';
import type { AdmissionOptions, MutateHandler, MutateOptions, ValidateHandler } from '../admission.ts';
import type { VersionConversion } from '../conversion.ts';

interface Hook {
  /** Unique, and what the API server calls it in its errors: `validate.v1alpha1.myapps.example.com`. */
  readonly name: string;
  /** Where it is served. */
  readonly path: string;
  readonly type: ResourceType;
}

interface Asked extends Hook {
  readonly options: AdmissionOptions & Pick<MutateOptions, 'reinvoke'>;
  readonly timeoutSeconds: number;
}

export interface ValidateHook extends Asked {
  readonly sort: 'validate';
  readonly handler: ValidateHandler<KubernetesObject>;
}

export interface MutateHook extends Asked {
  readonly sort: 'mutate';
  readonly handler: MutateHandler<KubernetesObject>;
}

export type AdmissionHook = ValidateHook | MutateHook;

export interface ConversionHook extends Hook {
  readonly versions: Readonly<Record<string, VersionConversion<KubernetesObject, KubernetesObject>>>;
}

const DEFAULT_TIMEOUT = 10_000;

export function admissionHook<Sort extends AdmissionHook['sort'], Handler>(
  sort: Sort,
  type: ResourceType,
  handler: Handler,
  options: AdmissionOptions,
) {
  const { version, group } = groupVersionOf(type);
  const { name } = options;
  if (name !== undefined && !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) {
    throw badHook(`the name "${name}" of a webhook for ${type.kind} must be of lower-case letters, digits and dashes`);
  }
  const parts = [...(name ? [name] : []), sort, version, type.plural, group || 'core'];
  return {
    sort,
    type,
    handler,
    options,
    name: parts.join('.'),
    path: `/${[sort, group || 'core', version, type.plural, ...(name ? [name] : [])].join('/')}`,
    timeoutSeconds: secondsOf(options, type),
  };
}

export function conversionHook(type: ResourceType, versions: ConversionHook['versions']): ConversionHook {
  const { group, version } = groupVersionOf(type);
  if (!group) throw badHook(`${type.kind} is a kind of Kubernetes itself: only custom kinds can be converted`);
  if (Object.hasOwn(versions, version)) {
    throw badHook(`${type.kind}: ${version} is the stored version: give the conversions of the others`);
  }
  return { name: `convert.${type.plural}.${group}`, path: `/convert/${group}/${type.plural}`, type, versions };
}

export function groupVersionOf({ apiVersion }: Pick<ResourceType, 'apiVersion'>): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  return { group: slash < 0 ? '' : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

export function badHook(message: string): RuntimeError {
  return new RuntimeError('KUR_RUNTIME_BAD_WEBHOOK', message);
}

function secondsOf({ timeout = DEFAULT_TIMEOUT }: AdmissionOptions, { kind }: ResourceType): number {
  const seconds = parseDuration(timeout, `the timeout of a webhook for ${kind}`) / 1000;
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= 30) return seconds;
  throw badHook(`the timeout of a webhook for ${kind} must be a whole number of seconds from 1 to 30`);
}
