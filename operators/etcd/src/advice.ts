/** What may be declared, and is better declared otherwise: told, never refused. Whoever shrinks from five passes by four. */
import { quantityToNumber } from '@kurator/sdk';
import type { EtcdCluster } from './resources.ts';

/** One thing, as a condition and an Event say it. */
export interface Advice {
  readonly reason: 'EvenSize' | 'QuotaAboveVolume';
  /** With the field, and what to write instead. */
  readonly message: string;
}

/** The weightiest first. */
export function adviceOf({ spec }: EtcdCluster): readonly Advice[] {
  const advice: Advice[] = [];
  if (spec.size % 2 === 0) {
    const tolerated = Math.floor((spec.size - 1) / 2);
    advice.push({
      reason: 'EvenSize',
      message: `spec.size: ${spec.size} members survive the loss of ${tolerated}, as ${spec.size - 1} do, and cost more: give ${spec.size - 1} or ${spec.size + 1}`,
    });
  }
  const volume = quantityToNumber(String(spec.storage.size));
  if (spec.quotaBackendBytes > volume) {
    advice.push({
      reason: 'QuotaAboveVolume',
      message: `spec.quotaBackendBytes: the volume (spec.storage.size) is full before the quota of ${spec.quotaBackendBytes} bytes is reached, and then members end instead of refusing writes: give at most two thirds of the volume`,
    });
  }
  return advice;
}
