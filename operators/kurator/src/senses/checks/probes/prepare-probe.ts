/** From a probe's settings to what runs it. Settings are read once, and each run is as cheap as it can be. */
import type { Probe } from '../check.ts';
import { InvalidCheck } from '../check.ts';
import { type Exec, prepareExec } from './exec-probe.ts';
import { prepareGrpc } from './grpc-probe.ts';
import { prepareHttp } from './http-probe.ts';
import { alwaysFinds, findingOf, type StartProbe } from './probe-run.ts';
import { prepareTcp } from './tcp-probe.ts';

function prepareKind(probe: Probe, exec: Exec | undefined): StartProbe {
  switch (probe.kind) {
    case 'tcp':
      return prepareTcp(probe);
    case 'http':
      return prepareHttp(probe);
    case 'grpc':
      return prepareGrpc(probe);
    case 'exec':
      return prepareExec(probe, exec);
    default:
      throw new InvalidCheck(`there is no probe of kind ${JSON.stringify((probe as { kind: unknown }).kind)}`);
  }
}

/** Never throws: a probe that can't be run as it is written always finds just that, and reads unknown. */
export function prepareProbe(probe: Probe, exec?: Exec): StartProbe {
  if (probe.kind !== 'exec' && probe.isRefused) {
    return alwaysFinds(findingOf('checker-denied', 'the operator must not talk to this address'));
  }
  try {
    return prepareKind(probe, exec);
  } catch (error) {
    if (!(error instanceof InvalidCheck)) throw error;
    return alwaysFinds(findingOf('invalid-check', error.message));
  }
}

/** Targets of the same host share it fairly: see FairGate. */
export function hostOf(probe: Probe): string {
  return probe.kind === 'exec' ? `${probe.namespace}/${probe.pod}` : probe.host;
}
