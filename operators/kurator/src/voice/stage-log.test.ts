import { describe, expect, it } from 'vitest';
import { anIncident } from '../../test/support/alerting/an-alert.ts';
import type { Diagnosis } from '../brain/diagnosis/cause.ts';
import { freshHistory } from '../brain/incident/history.ts';
import type { Incident } from '../brain/incident/incident.ts';
import { enter } from '../brain/incident/keeping.ts';
import type { Context } from '../memory/pass.ts';
import { logStages } from './stage-log.ts';

const suspected = anIncident({
  stage: 'suspected',
  transitions: [{ seq: 1, at: 0, to: 'suspected', reason: 'web-a does not answer', condition: 'degraded' }],
});
const diagnosis = { cause: 'hang' } as Diagnosis;
const confirmed = { ...enter(suspected, 'confirmed', 'three checks failed', 'degraded', 1), diagnosis };

/** What is logged when one follows upon the other. */
function logged(before: Incident | undefined, incident: Incident | undefined): unknown[] {
  const lines: unknown[] = [];
  const log = { info: (message: string, fields: object) => void lines.push({ message, ...fields }) };
  logStages(
    log as unknown as Context['log'],
    { ...freshHistory(0), ...(before && { incident: before }) },
    { incident },
  );
  return lines;
}

const message = 'an incident changes its stage';

describe('the log', () => {
  it('has a line for each change of a stage, with the fault', () => {
    expect(logged(suspected, confirmed)).toEqual([
      {
        message,
        incident: 'shop/web#1',
        from: 'suspected',
        stage: 'confirmed',
        condition: 'degraded',
        fault: 'hang',
        reason: 'three checks failed',
      },
    ]);
  });

  it('has the first stage too, and all through which one thought has gone, in order', () => {
    expect(logged(undefined, suspected)).toEqual([
      {
        message,
        incident: 'shop/web#1',
        stage: 'suspected',
        condition: 'degraded',
        reason: 'web-a does not answer',
      },
    ]);
    const repairing = enter(confirmed, 'repairing', 'web-a is taken away', 'degraded', 2);
    expect(logged(suspected, repairing)).toMatchObject([{ stage: 'confirmed' }, { stage: 'repairing', fault: 'hang' }]);
  });

  it('says nothing again, and nothing where nothing has changed', () => {
    expect(logged(confirmed, confirmed)).toEqual([]);
    expect(logged(undefined, undefined)).toEqual([]);
  });

  it('has all of a new incident that follows upon another one', () => {
    const next = { ...suspected, id: 'shop/web#2' };
    expect(logged(confirmed, next)).toMatchObject([{ incident: 'shop/web#2', stage: 'suspected' }]);
  });
});
