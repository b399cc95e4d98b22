import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anAlert } from '../../../test/support/alerting/an-alert.ts';
import type { AlertChannel } from '../../resources/alert-channel.ts';
import type { Alert } from './alert.ts';
import { digestDueAt, few, mostMembers, mostNamed, take, together, withDigests } from './digest.ts';
import { arrived, type Outbox, outboxOf } from './outbox.ts';
import { wants } from './tell-channels.ts';

const minute = 60_000;
const start = Date.UTC(2026, 0, 1, 12);
const onCall = channelOf({ pagerDuty: {}, minSeverity: 'page' });

function channelOf(spec: object): AlertChannel {
  const metadata = { name: 'on-call', namespace: 'shop', uid: '5ca1ab1e-0000-4000-8000-000000000000' };
  return { metadata, spec: { minSeverity: 'info', ...spec } } as unknown as AlertChannel;
}

function page(service: number, differences: Partial<Alert> = {}): Alert {
  const name = `s${String(service).padStart(3, '0')}`;
  const thread = `1f9c2a7e/shop/${name}#1`;
  const title = `shop/${name} is down, and is not well: a node is lost`;
  const about = { thread, service: name, title, cause: 'a node is lost', condition: 'down' } as const;
  return anAlert({ ...about, id: `${thread}/down`, group: 'node/n1', severity: 'page', ...differences });
}

function well(service: number): Alert {
  const { thread } = page(service);
  const over = { severity: 'resolved', status: 'resolved', stage: 'recovered', condition: 'up' } as const;
  return page(service, { ...over, id: `${thread}/9`, group: thread.slice(9), title: `${thread} is well again` });
}

const many = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);

/** A channel with a sink that takes everything at once, and a clock. */
class Desk {
  outbox: Outbox = outboxOf({});
  now = start;
  /** What the sink has heard, in order. */
  readonly heard: Alert[] = [];
  /** What no channel wanted: it would become an Event. */
  readonly unwanted: string[] = [];
  readonly #channel: AlertChannel;

  constructor(channel: AlertChannel = onCall) {
    this.#channel = channel;
  }

  tell(...alerts: readonly Alert[]): this {
    for (const alert of alerts) {
      if (wants(this.#channel, this.outbox, alert)) {
        this.#keep(take(this.outbox, this.#channel, alert, new Date(this.now).toISOString()));
      } else this.unwanted.push(alert.id);
    }
    return this;
  }

  /** Delivers all that is due now. */
  deliver(): this {
    const at = new Date(this.now).toISOString();
    this.#keep(withDigests(this.outbox, this.#channel, at));
    for (let [oldest] = this.outbox.waiting; oldest; [oldest] = this.outbox.waiting) {
      this.heard.push(oldest.alert);
      this.#keep(arrived(this.outbox, oldest.alert.id, at));
    }
    return this;
  }

  /** Lets time go by, and whatever becomes due meanwhile arrives. */
  pass(time: number): this {
    const end = this.now + time;
    for (;;) {
      const due = digestDueAt(this.outbox) ?? Number.POSITIVE_INFINITY;
      this.now = Math.min(end, Math.max(this.now, due));
      this.deliver();
      if (due > end) return this;
    }
  }

  get digests(): Alert[] {
    return this.heard.filter(isDigest);
  }

  get alone(): Alert[] {
    return this.heard.filter((alert) => !isDigest(alert));
  }

  /** As it comes back from the API server, whoever reads it next. */
  #keep(outbox: Outbox): void {
    const { waiting, known, digests, gathered, dropped, ...figures } = outbox;
    const memory = { waiting, known, digests, gathered, dropped };
    this.outbox = outboxOf(JSON.parse(JSON.stringify({ status: { ...figures, memory } })));
  }
}

const isDigest = ({ service }: Alert) => service === '*';

describe('pages that have one reason', () => {
  it('come by themselves for the first few services, and as one digest for all others', () => {
    const desk = new Desk().tell(...many(500).map((service) => page(service))).deliver();
    expect(desk.heard.map(({ id }) => id)).toEqual(many(few).map((service) => page(service).id));
    desk.pass(minute);
    expect(desk.digests).toMatchObject([
      {
        severity: 'page',
        status: 'firing',
        namespace: 'shop',
        group: 'node/n1',
        condition: 'down',
        title: '497 more services need on-call for one reason: node n1 is in trouble',
      },
    ]);
    const [{ lines = [] } = {}] = desk.digests;
    expect(lines[0]).toBe('in namespace shop; told one by one before: shop/s000, shop/s001, shop/s002');
    expect(lines[1]).toBe(page(few).title);
    expect(lines.at(-1)).toBe(`and ${497 - mostNamed} more`);
    expect(desk.heard).toHaveLength(few + 1);
  });

  it('are told as more under the same thread, less and less often, and resolved at once when all are well', () => {
    const desk = new Desk();
    for (const service of many(60)) desk.tell(page(service)).pass(minute / 3);
    expect(desk.digests.length).toBeLessThan(7);
    expect(new Set(desk.digests.map(({ thread }) => thread)).size).toBe(1);
    expect(new Set(desk.digests.map(({ id }) => id)).size).toBe(desk.digests.length);
    desk.pass(15 * minute);
    expect(desk.digests.at(-1)?.title).toMatch(/^57 more services need on-call/);
    const before = desk.digests.length;
    desk.tell(...many(60).map(well)).deliver();
    expect(desk.digests).toHaveLength(before + 1);
    expect(desk.digests.at(-1)).toMatchObject({
      status: 'resolved',
      severity: 'resolved',
      thread: desk.digests[0]?.thread,
      title: '57 services are well again (node n1 is in trouble)',
    });
    // Those that were told by themselves are resolved by themselves, and nobody else is.
    const over = desk.alone.filter(({ status }) => status === 'resolved');
    expect(over.map(({ id }) => id)).toEqual(many(few).map((service) => well(service).id));
    expect(desk.unwanted).toEqual([]);
  });

  it('that are the only ones of theirs are never held back', () => {
    const own = many(50).map((service) => page(service, { group: page(service).thread.slice(9) }));
    const desk = new Desk().tell(...own).deliver();
    expect(desk.heard.map(({ id }) => id)).toEqual(own.map(({ id }) => id));
    const nodes = new Desk().tell(...many(50).map((service) => page(service, { group: `node/n${service}` }))).deliver();
    expect(nodes.heard).toHaveLength(50);
  });

  it('come by themselves again when the first of them is long over', () => {
    const desk = new Desk().tell(...many(5).map((service) => page(service))).pass(together);
    desk.tell(...many(5, 100).map((service) => page(service))).pass(minute);
    expect(desk.alone).toHaveLength(2 * few);
    expect(new Set(desk.digests.map(({ thread }) => thread)).size).toBe(2);
  });

  it('are the worst first', () => {
    const differences: Partial<Alert>[] = [
      { condition: 'degraded', stage: 'confirmed' },
      { condition: 'degraded', stage: 'handedOver' },
      { condition: 'down', stage: 'confirmed' },
      { condition: 'down', stage: 'quarantined' },
    ];
    const desk = new Desk().tell(...many(few).map((service) => page(service)));
    desk.tell(...differences.map((one, index) => page(few + index, { ...one, title: `${index}` }))).pass(minute);
    expect(desk.digests[0]?.lines.slice(-4)).toEqual(['3', '2', '1', '0']);
  });

  it('are named in the channel alone whose services they are, with the nodes and the control plane', () => {
    const others = [
      { name: 'control plane', state: 'answers' },
      { name: 'nodes', state: '2 of 3 ready' },
      { name: 'node n1', state: 'silent' },
    ];
    const desk = new Desk()
      .tell(
        ...many(5).map((service) => page(service, { others: [...others, { name: 'node-bank/vault', state: 'down' }] })),
      )
      .pass(minute);
    expect(desk.digests[0]?.others).toEqual(others);
    expect(JSON.stringify(desk.digests)).not.toContain('bank');
  });

  it('stand on each Kurator, and in the log, where those are the channel', () => {
    for (const spec of [{ events: {} }, { stdout: {} }]) {
      const desk = new Desk(channelOf(spec)).tell(...many(10).map((service) => page(service))).deliver();
      expect(desk.alone).toHaveLength(10);
    }
  });

  it('end one by one where warnings came one by one: what a sink has opened is closed', () => {
    const desk = new Desk(channelOf({ slack: {} }));
    const warnings = many(6).map((service) => page(service, { id: `${page(service).thread}/2`, severity: 'warning' }));
    desk.tell(...warnings, ...many(6).map((service) => page(service))).pass(minute);
    desk.tell(...many(6).map(well)).deliver();
    const over = desk.alone.filter(({ status }) => status === 'resolved');
    expect(over).toHaveLength(6);
    expect(desk.digests.map(({ status }) => status)).toEqual(['firing', 'resolved']);
  });

  it('of one that was called for something of its own since come by themselves', () => {
    const desk = new Desk().tell(...many(5).map((service) => page(service))).pass(minute);
    const { thread } = page(4);
    desk.tell(page(4, { id: `${thread}/7`, group: thread.slice(9), stage: 'handedOver' })).deliver();
    expect(desk.alone.at(-1)?.id).toBe(`${thread}/7`);
    desk.tell(well(3), well(4)).deliver();
    expect(desk.alone.at(-1)?.id).toBe(well(4).id);
    expect(desk.digests.at(-1)?.status).toBe('resolved');
  });
});

describe('a digest', () => {
  it('fits into a bounded alert and its outbox into an object of the API server, however many and long they are', () => {
    const long = (service: number) =>
      page(service, {
        id: `1f9c2a7e/${'n'.repeat(63)}/${'s'.repeat(240)}${service}#1/down`,
        thread: `1f9c2a7e/${'n'.repeat(63)}/${'s'.repeat(240)}${service}#1`,
        title: '€'.repeat(500),
        cause: `cause ${service}`,
        lines: ['€'.repeat(6000)],
      });
    const desk = new Desk().tell(...many(mostMembers + 120).map(long));
    expect(Buffer.byteLength(JSON.stringify(desk.outbox))).toBeLessThan(1_500_000);
    expect(desk.outbox.digests[0]?.members).toHaveLength(mostMembers);
    desk.pass(minute);
    expect(JSON.stringify(desk.digests[0]).length).toBeLessThan(16_000);
  });

  it('is forgotten when nothing was heard of its services for a week', () => {
    const desk = new Desk().tell(...many(5).map((service) => page(service))).pass(8 * 24 * 60 * minute);
    desk.tell(page(100, { group: 'network' }));
    expect(desk.outbox.digests.map(({ group }) => group)).toEqual(['network']);
  });

  it('is not told again while its sink has not heard it', () => {
    const desk = new Desk().tell(...many(5).map((service) => page(service)));
    desk.now += minute;
    const at = new Date(desk.now).toISOString();
    const waiting = withDigests(desk.outbox, onCall, at);
    const more = take(waiting, onCall, page(9), at);
    expect(digestDueAt(more)).toBeUndefined();
    expect(withDigests(more, onCall, new Date(desk.now + 60 * minute).toISOString())).toBe(more);
  });
});

/** What may happen: a service pages for a reason of several, is well again, or time goes by. */
type Happening =
  | { readonly pages: number; readonly group: string }
  | { readonly well: number }
  | { readonly pass: number };
const happenings: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ pages: fc.nat(14), group: fc.constantFrom('node/n1', 'storm', 'network', 'own') }),
  fc.record({ well: fc.nat(14) }),
  fc.record({ pass: fc.constantFrom(1000, 20_000, minute, 10 * minute, 40 * minute) }),
);

it('whatever happens, and however often it is told: on-call knows who is ill, hears nothing twice, and of one cause few', () => {
  fc.assert(
    fc.property(fc.array(happenings, { maxLength: 120, size: 'max' }), fc.nat(), (history, seed) => {
      const desk = new Desk();
      const ill = new Set<string>();
      const told: Alert[] = [];
      /** When services were told by themselves, by their reason. */
      const aloneAt: { group: string; thread: string; at: number }[] = [];
      const tell = (alert: Alert) => {
        const before = desk.heard.length;
        desk.tell(alert).deliver();
        for (const { group, thread, severity } of desk.heard.slice(before).filter((one) => !isDigest(one))) {
          if (severity === 'page') aloneAt.push({ group, thread, at: desk.now });
        }
        told.push(alert);
        // After a crash the last ones are told again.
        const state = JSON.stringify(desk.outbox);
        desk.tell(...told.slice(-1 - (seed % 3)));
        expect(JSON.stringify(desk.outbox)).toBe(state);
      };
      history.forEach((happening, step) => {
        if ('pass' in happening) desk.pass(happening.pass);
        else if ('pages' in happening) {
          const { thread, title } = page(happening.pages);
          const group = happening.group === 'own' ? thread.slice(9) : happening.group;
          tell(page(happening.pages, { id: `${thread}/${step}`, group, title }));
          ill.add(thread);
        } else {
          const alert = well(happening.well);
          if (ill.delete(alert.thread)) tell({ ...alert, id: `${alert.thread}/${step}` });
        }
      });
      desk.pass(60 * minute);
      expect(desk.unwanted).toEqual([]);
      expect(new Set(desk.heard.map(({ id }) => id)).size).toBe(desk.heard.length);
      expect([...openFor(desk.heard)].toSorted()).toEqual([...ill].toSorted());
      for (const { group, at } of aloneAt.filter((one) => !one.group.includes('#'))) {
        const near = aloneAt.filter((one) => one.group === group && one.at >= at && one.at < at + together);
        expect(new Set(near.map(({ thread }) => thread)).size).toBeLessThanOrEqual(2 * few);
      }
    }),
    { numRuns: 200 },
  );
}, 60_000);

/** The threads that a sink takes for open: its own alerts, and whoever the last word of each open digest names. */
function openFor(heard: readonly Alert[]): Set<string> {
  const last = new Map(heard.map((alert) => [alert.thread, alert]));
  const open = [...last.values()].filter(({ status }) => status === 'firing');
  const named = open.filter(isDigest).flatMap(({ lines }) => lines.filter((line) => line.includes(' is down')));
  const services = named.map((line) => `1f9c2a7e/${line.slice(0, line.indexOf(' '))}#1`);
  return new Set([...open.filter((alert) => !isDigest(alert)).map(({ thread }) => thread), ...services]);
}
