/**
 * The cluster's switch: what it says, who hears of it, and what an installation begins with. Everybody reads it from the
 * cache at the moment that something would be done, so nothing begins once it is turned.
 */
import { type Client, isConflict, type Lookup, type Operator } from '@kurator/sdk';
import type { Mode } from '../brain/spec.ts';
import { KuratorSwitch, switchName } from '../resources/kurator-switch.ts';

/**
 * What the switch says. One that is not there is as the installation wants it; else it is on: an upgrade must not end what
 * was done before it.
 */
export function modeIn(look: Pick<Lookup, 'get'> | undefined, unlessThere: Mode = 'On'): Mode {
  return look?.get(KuratorSwitch, { name: switchName })?.spec.mode ?? unlessThere;
}

const inWords: Readonly<Record<Mode, string>> = {
  Off: 'Kurator is switched off: nothing is done anywhere; services are still looked at',
  Observe: 'Kurator only observes: it says what it would do, and does nothing',
  On: 'Kurator is on: it repairs',
};

/** The same operator, which also says once of each turn of the switch that it obeys. */
export function withSwitch<Clusters extends string>(operator: Operator<Clusters>): Operator<Clusters> {
  return operator.controller(KuratorSwitch, { readyCondition: false }).reconcile(({ spec, status }, { event, log }) => {
    const { mode, by, reason } = spec;
    if (status?.mode === mode) return undefined;
    const who = [by && `set by ${by}`, reason].filter(Boolean).join(': ');
    log.info('obeys the switch', { mode, before: status?.mode, by, reason });
    event(mode === 'On' ? 'Normal' : 'Warning', `Switched${mode}`, `${inWords[mode]}${who && ` (${who})`}`, {
      action: 'Switch',
    });
    return { status: { mode, since: new Date().toISOString() } };
  });
}

/** In whose name an installation sets the switch: whatever a person has set is not its own, and stays. */
const fieldManager = 'kurator-installation';

/** Sets the switch as the installation wants it; says whether it is so, for a person's word goes before. */
export async function setFirstMode(client: Client, mode: Mode, signal: AbortSignal): Promise<boolean> {
  const first = { metadata: { name: switchName }, spec: { mode, by: 'the installation' } };
  try {
    await client.apply(KuratorSwitch, first, { fieldManager, signal });
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}
