import { Kurator } from '../resources/kurator.ts';
import { fieldManager, type Round } from './case.ts';

/** What a Kurator's status is written with. */
export function toolsOf({ context, now }: Pick<Round, 'context' | 'now'>) {
  return { client: context.client, type: Kurator, fieldManager, signal: context.signal, now };
}
