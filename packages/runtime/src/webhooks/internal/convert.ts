/** Answers a ConversionReview: each object to the stored version if it isn't of it, and from there to the wanted one. */
import type { KubernetesObject, ObjectMeta } from '@kurator/client';
import type { Logger } from '../../insight/late-logger.ts';
import { keyOf } from '../../object-key.ts';
import { Denial } from '../denial.ts';
import { type ConversionHook, groupVersionOf } from './hook.ts';
import type { ConversionRequest } from './review.ts';

type Outcome = { readonly converted: KubernetesObject } | { readonly problem: string };

export function convertAll(hook: ConversionHook, request: ConversionRequest, logger: Logger): object {
  const outcomes = request.objects.map((object) => convertOne(hook, object, request, logger));
  const problems = outcomes.flatMap((outcome) => ('problem' in outcome ? [outcome.problem] : []));
  // The protocol knows no answer for part of a list: one object that can't be converted fails them all.
  const response =
    problems.length > 0
      ? { result: { status: 'Failure', message: summed(problems, request.objects.length) } }
      : {
          result: { status: 'Success' },
          convertedObjects: outcomes.map((outcome) => 'converted' in outcome && outcome.converted),
        };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    response: { uid: request.uid, ...response },
  };
}

function convertOne(
  hook: ConversionHook,
  object: KubernetesObject,
  request: ConversionRequest,
  logger: Logger,
): Outcome {
  const { desiredApiVersion, uid } = request;
  const subject = `${object.kind} ${keyOf(object)}`;
  try {
    return { converted: converted(hook, object, desiredApiVersion) };
  } catch (error) {
    if (error instanceof Denial) {
      return { problem: `${subject}: ${error.field ? `${error.field}: ` : ''}${error.message}` };
    }
    const from = object.apiVersion;
    logger.error(
      { webhook: hook.name, uid, object: subject, from, to: desiredApiVersion, error },
      'a conversion failed',
    );
    return { problem: `${subject}: the conversion failed; the operator's log says why, under the uid ${uid}` };
  }
}

function converted(hook: ConversionHook, object: KubernetesObject, desired: string): KubernetesObject {
  if (object.apiVersion === desired) return object;
  const { apiVersion: stored } = hook.type;
  const atStorage = object.apiVersion === stored ? object : step(hook, object, stored, object.apiVersion, 'toStorage');
  return desired === stored ? atStorage : step(hook, atStorage, desired, desired, 'fromStorage');
}

/** @param spoke the version that isn't the stored one: its conversions are used. */
function step(
  { versions, type }: ConversionHook,
  object: KubernetesObject,
  to: string,
  spoke: string,
  way: 'toStorage' | 'fromStorage',
): KubernetesObject {
  const { group, version } = groupVersionOf({ apiVersion: spoke });
  const conversion = Object.hasOwn(versions, version) ? versions[version] : undefined;
  if (!conversion || group !== groupVersionOf(type).group) {
    throw new Denial(undefined, `no conversion between ${spoke} and ${type.apiVersion} is known to this operator`);
  }
  const { metadata } = object;
  const result = conversion[way](structuredClone(object));
  return { ...result, apiVersion: to, kind: object.kind, metadata: keptMetadata(metadata, result.metadata) };
}

/** The API server allows no change but of labels and annotations; what the author's function says of the rest is dropped. */
function keptMetadata(metadata: ObjectMeta, given: Partial<ObjectMeta> = {}): ObjectMeta {
  const { labels = metadata.labels, annotations = metadata.annotations } = given;
  return { ...metadata, ...(labels && { labels }), ...(annotations && { annotations }) };
}

// A list of thousands may fail in every item: whoever reads the message needs the first few.
const TOLD = 5;

function summed(problems: readonly string[], of: number): string {
  const more = problems.length > TOLD ? `; and ${problems.length - TOLD} more` : '';
  return `${problems.length} of ${of} objects could not be converted: ${problems.slice(0, TOLD).join('; ')}${more}`;
}
