/** Pieces that many kinds have, in the form that Kubernetes' own kinds have them in: paste them into pods as they are. */
import type { ResourceType } from '@kurator/client';
import { z } from 'zod';
import { listMap, mapOf } from './list.ts';
import { quantity } from './quantity.ts';
import { reference } from './reference.ts';

const name = z.string().min(1).max(253);
const key = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[-._a-zA-Z0-9]+$/);
const labelValue = z.string().max(63);
const port = z.int32().min(1).max(65535);
const protocol = z.enum(['TCP', 'UDP', 'SCTP']);

/** A name of another object in the same namespace. */
export function localReference() {
  return z.object({ name });
}

/** One key of a Secret in the same namespace. Who sets it must be allowed to get that Secret. */
export function secretKeyRef() {
  return reference(keyRef(), { to: kind('Secret', 'secrets'), verbs: ['get'] });
}

/** One key of a ConfigMap in the same namespace. Who sets it must be allowed to get that ConfigMap. */
export function configMapKeyRef() {
  return reference(keyRef(), { to: kind('ConfigMap', 'configmaps'), verbs: ['get'] });
}

function keyRef() {
  return z.object({ name, key, optional: z.boolean().optional() });
}

function kind(kind: string, plural: string): ResourceType {
  return { apiVersion: 'v1', kind, plural, namespaced: true };
}

/** What a container asks for, and what it may have at most. */
export function resourceRequirements() {
  const amounts = mapOf(z.string().min(1).max(253), quantity(), { max: 32 });
  return z.object({ limits: amounts, requests: amounts }).partial();
}

/** Environment variables by name, with plain values or values from a Secret or ConfigMap. */
export function environment() {
  const source = z.object({ secretKeyRef: secretKeyRef(), configMapKeyRef: configMapKeyRef() }).partial();
  return listMap(z.object({ name, value: z.string().optional(), valueFrom: source.optional() }), ['name']);
}

/** The ports of a container. */
export function containerPorts() {
  const each = z.object({
    name: z
      .string()
      .max(15)
      .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)
      .optional(),
    containerPort: port,
    protocol: protocol.default('TCP'),
  });
  return listMap(each, ['containerPort', 'protocol']);
}

/** Selects objects by their labels. */
export function labelSelector() {
  const expression = z.object({
    key: z.string().min(1).max(317),
    operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
    values: z.array(labelValue).max(256).optional(),
  });
  return z
    .object({
      matchLabels: mapOf(z.string().min(1).max(317), labelValue, { max: 64 }),
      matchExpressions: z.array(expression).max(64),
    })
    .partial();
}
