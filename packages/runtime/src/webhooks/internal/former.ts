/**
 * What a registration was before a temporary registrant put itself there. It is kept on the object, in the write that
 * changes it: so it can be put back by the next one too, where this one is killed.
 */
import type { WebhookClientConfig } from '@kurator/client/admissionregistration/v1';
import type { Registrant } from './registration.ts';

/** Its value is JSON; `null` where there was nothing. */
export const FORMER_ANNOTATION = 'kurator.dev/registration-before-dev';

type Annotations = Readonly<Record<string, string>> | undefined;

/** What is to be kept of a registration whose value now is `live`. */
export interface Keeping {
  readonly annotations: Annotations;
  /** Whether the process has just started, and may not be the one that wrote the annotation. */
  readonly fresh: boolean;
  readonly addresses: readonly (WebhookClientConfig | undefined)[];
  readonly live: unknown;
}

/** The annotation's value. What was kept before counts, unless somebody has registered himself there since. */
export function formerOf(registrant: Registrant, { annotations, fresh, addresses, live }: Keeping): string {
  const kept = annotations?.[FORMER_ANNOTATION];
  const isOthers = addresses.some((config) => config?.service && !pointsAt(registrant, config));
  return kept !== undefined && !(fresh && isOthers) ? kept : JSON.stringify(live ?? null);
}

export function withoutFormer(annotations: Annotations): Record<string, string> {
  const { [FORMER_ANNOTATION]: _, ...others } = annotations ?? {};
  return others;
}

/** Whether calls come to this registrant. */
export function pointsAt({ address }: Registrant, { url, service }: WebhookClientConfig): boolean {
  if ('url' in address) return url?.startsWith(`${address.url}/`) ?? false;
  return service?.name === address.service.name && service.namespace === address.service.namespace;
}
