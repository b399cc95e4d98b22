import { expect, it } from 'vitest';
import { hang, proposed } from '../../test/support/healer-objects.ts';
import type { Incident } from './kinds.ts';
import { reportOf, told } from './report-figures.ts';

const began = Date.parse('2026-03-01T12:00:00Z');
const at = (minutes: number) => new Date(began + minutes * 60_000).toISOString();

function incident(name: string, status: object): Incident {
  return {
    ...hang,
    metadata: { name, namespace: 'blog' },
    spec: { service: 'api', startedAt: at(0) },
    status: { cause: 'hang', confirmedAt: at(1), stages: [], actions: [], ...status },
  } as unknown as Incident;
}
const stage = (stage: string, minutes: number, reason = '') => ({
  stage,
  at: at(minutes),
  reason,
  seq: 1,
  condition: 'down',
});
const observed = incident('api-1', {
  stages: [stage('proposed', 2, 'would replace api-x now; Kurator only observes in this cluster')],
  recoveredAt: at(32),
  closedAt: at(40),
});
const handedOver = incident('api-2', { stages: [stage('handedOver', 5)], recoveredAt: at(65), closedAt: at(70) });
const suspicion = { ...incident('api-3', {}), status: { stage: 'closed' } } as Incident;
const options = { since: began, now: began + 3_600_000 };
const tell = (...all: Incident[]) => all.flatMap((one) => told(one) ?? []);

it('tells what was done, what would have been done, and what people did', () => {
  expect(tell(hang, observed, handedOver, suspicion)).toMatchObject([
    { name: 'web-3', ending: 'repaired', steps: ['replace'], lasted: 58_000 },
    { name: 'api-1', ending: 'wouldRepair', steps: ['replace'], waitedMs: 30 * 60_000 },
    { name: 'api-2', ending: 'people', steps: [], waitedMs: 60 * 60_000 },
  ]);
});

it('does not count a step that waits for approval as one that would have been done', () => {
  expect(tell(proposed)).toMatchObject([{ ending: 'open', steps: [] }]);
});

it('saves as much as people would have taken longer: by what the incidents show, or by what it is told', () => {
  const all = tell(hang, observed, handedOver);
  const measured = reportOf(all, 0, options);
  expect(measured.byHand).toEqual({ ms: 60 * 60_000, from: 'incidents', incidents: 1 });
  // It was confirmed after 30 s, and well after 58 s.
  expect(measured.total.savedMs).toBe(60 * 60_000 - 28_000);
  expect(measured.namespaces).toMatchObject({
    blog: { incidents: 2, wouldRepair: 1, people: 1, savedMs: 0, waitedMs: 30 * 60_000 },
    shop: { incidents: 1, repaired: 1, waitedMs: 0 },
  });
  expect(reportOf(all, 0, { ...options, byHand: 10_000 }).total.savedMs).toBe(0);
});

it('claims nothing where nothing is known of how long people take', () => {
  const { total, byHand } = reportOf(tell(hang, observed), 2, options);
  expect(byHand).toBeUndefined();
  expect(total.savedMs).toBeUndefined();
});
