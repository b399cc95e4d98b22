/** The reviews that the API server sends, read with suspicion: anybody in the cluster may knock. */
import type { KubernetesObject } from '@kurator/client';
import { isJsonObject, type JsonObject } from '../../writing/json.ts';
import type { AdmissionOperation, AdmissionUser } from '../admission.ts';
import { Refusal } from './refusal.ts';

/** What is asked in an AdmissionReview. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly operation: AdmissionOperation;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly subresource: string | undefined;
  readonly user: AdmissionUser;
  readonly dryRun: boolean;
  readonly object: KubernetesObject | undefined;
  readonly oldObject: KubernetesObject | undefined;
}

/** What is asked in a ConversionReview. */
export interface ConversionRequest {
  readonly uid: string;
  readonly desiredApiVersion: string;
  readonly objects: readonly KubernetesObject[];
}

const operations: readonly unknown[] = ['CREATE', 'UPDATE', 'DELETE'] satisfies AdmissionOperation[];

export function readAdmissionReview(body: string): AdmissionRequest {
  const request = requestOf(body, 'admission.k8s.io/v1', 'AdmissionReview');
  const { operation, kind, userInfo } = request;
  if (!operations.includes(operation)) throw bad('request.operation must be CREATE, UPDATE or DELETE');
  if (!isJsonObject(kind)) throw bad('request.kind must be an object');
  const object = objectOf(request.object, 'request.object');
  const oldObject = objectOf(request.oldObject, 'request.oldObject');
  const needed = operation === 'DELETE' ? oldObject : object;
  if (!needed) throw bad(`a ${operation} must have ${operation === 'DELETE' ? 'an oldObject' : 'an object'}`);
  return {
    uid: uidOf(request),
    kind: { group: text(kind.group), version: text(kind.version), kind: text(kind.kind) },
    operation: operation as AdmissionOperation,
    name: text(request.name) || (needed.metadata.name ?? ''),
    namespace: text(request.namespace) || undefined,
    subresource: text(request.subResource) || undefined,
    user: userOf(isJsonObject(userInfo) ? userInfo : {}),
    dryRun: request.dryRun === true,
    object,
    oldObject,
  };
}

export function readConversionReview(body: string): ConversionRequest {
  const request = requestOf(body, 'apiextensions.k8s.io/v1', 'ConversionReview');
  const { desiredAPIVersion, objects } = request;
  if (typeof desiredAPIVersion !== 'string') throw bad('request.desiredAPIVersion must be a text');
  if (!Array.isArray(objects)) throw bad('request.objects must be a list');
  return {
    uid: uidOf(request),
    desiredApiVersion: desiredAPIVersion,
    objects: objects.map((object, index) => {
      const read = objectOf(object, `request.objects[${index}]`);
      if (!read) throw bad(`request.objects[${index}] is missing`);
      return read;
    }),
  };
}

function requestOf(body: string, apiVersion: string, kind: string): JsonObject {
  const review = parsed(body);
  if (!isJsonObject(review)) throw bad('the body must be a JSON object');
  if (review.kind !== kind || review.apiVersion !== apiVersion) {
    throw bad(`the body must be a ${kind} of ${apiVersion}`);
  }
  if (!isJsonObject(review.request)) throw bad('the review has no request');
  return review.request;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // The parser quotes what it could not read: that is not for the log of whoever sent it.
    return undefined;
  }
}

/** The server writes `null` for an object that there isn't. */
function objectOf(value: unknown, where: string): KubernetesObject | undefined {
  if (value === null || value === undefined) return undefined;
  if (!isJsonObject(value) || typeof value.apiVersion !== 'string' || typeof value.kind !== 'string') {
    throw bad(`${where} is not a Kubernetes object`);
  }
  // Options of a request, which have no metadata, come only with operations that we refuse.
  if (!isJsonObject(value.metadata)) throw bad(`${where} has no metadata`);
  return value as unknown as KubernetesObject;
}

function userOf(info: JsonObject): AdmissionUser {
  const { username, uid, groups, extra } = info;
  return {
    username: text(username),
    ...(typeof uid === 'string' && uid ? { uid } : {}),
    groups: Array.isArray(groups) ? groups.filter((group) => typeof group === 'string') : [],
    extra: isJsonObject(extra) ? (extra as AdmissionUser['extra']) : {},
  };
}

function uidOf({ uid }: JsonObject): string {
  if (typeof uid === 'string' && uid) return uid;
  throw bad('request.uid must be a text');
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function bad(message: string): Refusal {
  return new Refusal(400, message);
}
