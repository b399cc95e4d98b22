/** Metrics of what happens, over all services: no label but the brain's own words, however many services there are. */

import type { Family, Measured } from './family.ts';
import type { Tally } from './tally.ts';

type Counted = { [Name in keyof Tally]: Tally[Name] extends { samples(): unknown } ? Name : never }[keyof Tally];

export function eventFamilies(healer: Measured): Family[] {
  const family = (
    type: Family['type'],
    name: string,
    help: string,
    labels: readonly string[],
    counted: Counted,
  ): Family => ({ type, name, help, labels, samples: () => healer.tally[counted].samples() });
  return [
    family(
      'counter',
      'kurator_stage_changes_total',
      'Changes of stage of incidents, by the new stage',
      ['stage'],
      'stages',
    ),
    family(
      'counter',
      'kurator_steps_total',
      'Tries of steps of the ladder that have ended',
      ['step', 'result'],
      'steps',
    ),
    family('counter', 'kurator_actions_total', 'Actions that were carried out', ['kind', 'outcome'], 'actions'),
    family(
      'histogram',
      'kurator_time_to_detect_seconds',
      'Time from the first symptom to the confirmation of a fault',
      ['cause'],
      'detecting',
    ),
    family(
      'histogram',
      'kurator_time_to_recover_seconds',
      'Time from the first symptom to recovery, of incidents that are closed',
      ['cause'],
      'recovering',
    ),
    family(
      'counter',
      'kurator_notifications_total',
      'Notifications for on-call, by how loud; silenced says why one is only for the record',
      ['severity', 'silenced'],
      'notifications',
    ),
    family(
      'counter',
      'kurator_alert_attempts_total',
      'Tries to deliver an alert, by the sort of sink: delivered, failed, or given up',
      ['sink', 'outcome'],
      'alertAttempts',
    ),
    family('counter', 'kurator_notices_total', 'Notices to dependants, before and after repairs', ['phase'], 'notices'),
    family('counter', 'kurator_notice_answers_total', "Answers of dependants' hooks", ['answer'], 'answers'),
    family(
      'counter',
      'kurator_scalings_total',
      'Changes of the number of pods that follow the load',
      ['direction', 'outcome'],
      'scalings',
    ),
  ];
}
