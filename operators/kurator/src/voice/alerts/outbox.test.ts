import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anAlert } from '../../../test/support/alerting/an-alert.ts';
import type { Alert } from './alert.ts';
import {
  arrived,
  capacity,
  givenUp,
  inTrouble,
  knowsThread,
  type Outbox,
  outboxOf,
  put,
  remembered,
} from './outbox.ts';

const empty = outboxOf({});
const since = '2026-01-01T12:00:00.000Z';
const idsOf = ({ waiting }: Outbox) => waiting.map(({ alert }) => alert.id);
const putAll = (alerts: readonly Alert[], from = empty) =>
  alerts.reduce((outbox, alert) => put(outbox, alert, since), from);
const some = (count: number, severity: Alert['severity'], prefix: string) =>
  Array.from({ length: count }, (_, index) => anAlert({ id: `${prefix}/${index}`, severity }));

type Command = { readonly put: Alert } | { readonly take: 'arrived' | 'givenUp' };
const alerts = fc
  .tuple(fc.nat(400), fc.constantFrom('info', 'warning', 'resolved', 'page'))
  // One id is one alert: the number decides about the rest.
  .map(
    ([number, severity]): Alert => anAlert({ id: `a/${number}/${severity}`, severity: severity as Alert['severity'] }),
  );
const commands: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: alerts.map((alert) => ({ put: alert })) },
  { weight: 1, arbitrary: fc.constantFrom('arrived', 'givenUp').map((take) => ({ take }) as Command) },
);

describe('an outbox', () => {
  it('takes what an earlier version left waiting, with a map of how the others do', () => {
    const left = { since, alert: { ...anAlert({ id: 'a/1' }), others: { 'shop/db': 'down' } } };
    const [first] = outboxOf({ status: { memory: { waiting: [left] } } } as never).waiting;
    expect(first?.alert.others).toEqual([{ name: 'shop/db', state: 'down' }]);
  });

  it('keeps the order, takes nothing twice, is bounded, and lets a page go last: as a simple list does', () => {
    fc.assert(
      fc.property(fc.array(commands, { maxLength: 500, size: 'max' }), (history) => {
        const model = new Model();
        let outbox = empty;
        for (const command of history) {
          outbox = obeyed(outbox, command);
          model.obey(command);
          expect(idsOf(outbox).join()).toBe(model.ids());
        }
        expect(outbox.delivered).toBe(model.delivered);
        expect(outbox.known.length).toBeLessThanOrEqual(remembered);
        expect(model.delivered + model.lost + outbox.dropped + outbox.waiting.length).toBe(model.seen.length);
      }),
      { numRuns: 25 },
    );
  }, 60_000);

  it('keeps pages while anything else can go, and says that something went', () => {
    const pages = some(capacity.alerts, 'page', 'p');
    const outbox = putAll([...some(30, 'info', 'i'), ...pages]);
    expect(idsOf(outbox)).toEqual(pages.map(({ id }) => id));
    expect(outbox.dropped).toBe(30);
    expect(outbox.lastError).toMatch('30 alerts were dropped');
    expect(idsOf(putAll(some(1, 'info', 'late'), outbox))).toEqual(pages.map(({ id }) => id));
    expect(idsOf(putAll(some(1, 'page', 'late'), outbox)).at(-1)).toBe('late/0');
  });

  it('fits into an object of the API server, however long the alerts are', () => {
    const long = some(150, 'page', 'p').map((alert) => ({ ...alert, lines: ['€'.repeat(6000)] }));
    const outbox = putAll(long);
    expect(Buffer.byteLength(JSON.stringify(outbox))).toBeLessThan(capacity.bytes * 1.1);
    expect(idsOf(outbox).at(-1)).toBe('p/149');
  });

  it('knows one that waits for however many came after it', () => {
    const page = anAlert({ id: 'page/1', severity: 'page' });
    const outbox = putAll(some(remembered + 50, 'info', 'i'), put(empty, page, since));
    expect(outbox.known).not.toContain('page/1');
    expect(put(outbox, page, since)).toBe(outbox);
  });

  it('is the same when nothing changes', () => {
    const outbox = inTrouble(put(empty, anAlert(), since), 'away');
    expect(put(outbox, anAlert(), since)).toBe(outbox);
    expect(inTrouble(outbox, 'away')).toBe(outbox);
    expect(arrived(outbox, 'another', since)).toBe(outbox);
  });

  it('forgets its trouble with the first alert that arrives', () => {
    const outbox = arrived(inTrouble(put(empty, anAlert(), since), 'away'), anAlert().id, since);
    expect(outbox).not.toHaveProperty('lastError');
    expect(outbox).toMatchObject({ delivered: 1, lastDeliveredAt: since, waiting: [] });
  });

  it('knows of which incidents it was told', () => {
    const outbox = put(empty, anAlert({ id: 'u/shop/web#1/2', thread: 'u/shop/web#1' }), since);
    expect(knowsThread(outbox, 'u/shop/web#1')).toBe(true);
    expect(knowsThread(outbox, 'u/shop/web#11')).toBe(false);
    expect(knowsThread(outbox, 'v/shop/web#1')).toBe(false);
  });
});

function obeyed(outbox: Outbox, command: Command): Outbox {
  if ('put' in command) return put(outbox, command.put, since);
  const id = outbox.waiting[0]?.alert.id;
  if (id === undefined) return outbox;
  return command.take === 'arrived' ? arrived(outbox, id, since) : givenUp(outbox, id, 'gone');
}

/** What an outbox should do, written as plainly as can be. */
class Model {
  readonly waiting: Alert[] = [];
  readonly seen: string[] = [];
  delivered = 0;
  lost = 0;

  ids(): string {
    return this.waiting.map(({ id }) => id).join();
  }

  obey(command: Command): void {
    if ('put' in command) this.#put(command.put);
    else if (this.waiting.shift()) this[command.take === 'arrived' ? 'delivered' : 'lost']++;
  }

  #put(alert: Alert): void {
    const { id } = alert;
    if (this.seen.slice(-remembered).includes(id) || this.waiting.some((other) => other.id === id)) return;
    this.seen.push(id);
    this.waiting.push(alert);
    if (this.waiting.length > capacity.alerts) this.waiting.splice(firstToGo(this.waiting), 1);
  }
}

function firstToGo(model: readonly Alert[]): number {
  for (const severity of ['info', 'warning', 'resolved']) {
    const index = model.findIndex((alert) => alert.severity === severity);
    if (index >= 0) return index;
  }
  return 0;
}

describe('what the sink may hold open', () => {
  it('begins with the first alert of a thread, ends with its end, and is bounded', () => {
    const [opened, again] = [anAlert({ id: 'a/1' }), anAlert({ id: 'a/2', severity: 'page' })];
    expect(putAll([opened, again]).open).toEqual([opened.thread]);
    expect(putAll([opened, again, anAlert({ id: 'a/3', status: 'resolved' })]).open).toEqual([]);
    const many = Array.from({ length: 2 * remembered }, (_, n) => anAlert({ id: `${n}/1`, thread: `${n}` }));
    expect(putAll(many).open).toHaveLength(remembered);
  });
});
