// Alerts on the real API server, to real endpoints: what is told arrives, in order, whatever fails in between.
import { createHmac } from 'node:crypto';
import { Event } from '@kurator/sdk';
import { eventually } from '@kurator/testenv';
import { describe, expect, it } from 'vitest';
import { Reach } from '../src/access/reach.ts';
import { AlertChannel } from '../src/resources/alert-channel.ts';
import { Kurator } from '../src/resources/kurator.ts';
import type { Alert } from '../src/voice/alerts/alert.ts';
import { AlertWorld } from './support/alerting/alert-world.ts';
import { HttpSink } from './support/alerting/http-sink.ts';
import { OperatorProcess } from './support/alerting/operator-process.ts';

const patient = { timeout: '40s' } as const;
/** Operators are started one after the other, each a process of its own. */
const slow = { timeout: 150_000 };
const numbers = [1, 2, 3, 4, 5, 6];

describe('a sink where nobody may send', () => {
  it.each(['127.0.0.1', 'localhost'])('gets nothing, and the channel does not say what is there: %s', async (host) => {
    await using world = await AlertWorld.open();
    await using sink = await HttpSink.open();
    const { port } = new URL(sink.url);
    await world.channel('hook', { webhook: { url: `http://${host}:${port}/` } });
    await world.deliver({ reach: () => new Reach() });
    await world.tell(1);
    await eventually(
      async () =>
        expect((await world.status('hook')).lastError).toBe(
          `${host}:${port} must not be talked to: allow its address in the operator's settings if it may be`,
        ),
      patient,
    );
    expect(sink.received).toEqual([]);
  });
});

describe('a sink that is away', () => {
  it('gets everything in order when it is back, each at most twice', async () => {
    await using world = await AlertWorld.open();
    await using sink = await HttpSink.open();
    await world.channel('hook', { webhook: { url: sink.url }, timeout: '500ms' });
    // Away, then it takes one and never says so, then it is back.
    sink.next = [503, 503, () => {}, 502, (response) => response.destroy()];
    await world.deliver();
    for (const number of numbers) await world.tell(number);
    await eventually(async () => expect((await world.status('hook')).pending).toBe(0), patient);
    expect(sink.ids).toEqual(numbers.map((number) => world.id(number)));
    expect(sink.received.length).toBe(numbers.length + 5);
    const status = await world.status('hook');
    expect(status).toMatchObject({ delivered: numbers.length, pending: 0 });
    expect(status).not.toHaveProperty('lastError');
  });

  it('shows from the beginning that somebody looks after it', async () => {
    await using world = await AlertWorld.open();
    await world.channel('quiet', { stdout: {} });
    await world.deliver();
    await eventually(
      async () => expect(await world.status('quiet')).toMatchObject({ pending: 0, delivered: 0 }),
      patient,
    );
  });

  it('is left alone for as long as it asks, and says meanwhile what is wrong', async () => {
    await using world = await AlertWorld.open();
    await using sink = await HttpSink.open();
    await world.channel('hook', { webhook: { url: sink.url } });
    sink.next = [{ status: 429, headers: { 'retry-after': '2' } }];
    await world.deliver();
    await world.tell(1);
    await eventually(async () => expect((await world.status('hook')).lastError).toMatch(/ refused it$/), patient);
    await eventually(() => expect(sink.ids).toEqual([world.id(1)]), patient);
    const [refused, taken] = sink.received;
    expect((taken?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThan(1900);
  });

  it('that refuses an alert for ever does not keep the others waiting', async () => {
    await using world = await AlertWorld.open();
    await using sink = await HttpSink.open();
    await world.channel('hook', { webhook: { url: sink.url } });
    sink.next = [400, 400, 400];
    await world.tell(1);
    await world.deliver();
    await eventually(async () => expect((await world.status('hook')).lastError).toMatch('was given up'), patient);
    expect((await world.status('hook')).lastError).toBe(
      `${world.id(1)} was given up: ${new URL(sink.url).host} refused it`,
    );
    await world.tell(2);
    await eventually(() => expect(sink.ids).toEqual([world.id(2)]), patient);
  });

  it('for longer than the channel waits loses what is too old, which is said, and gets what is not', async () => {
    await using world = await AlertWorld.open();
    await using sink = await HttpSink.open();
    await world.channel('hook', { webhook: { url: sink.url }, retryFor: '1m' });
    await world.tell(1);
    sink.next = [503];
    let ahead = 120_000;
    await world.deliver({ now: () => Date.now() + ahead });
    await eventually(async () => expect((await world.status('hook')).lastError).toMatch('was given up'), patient);
    ahead = 0;
    await world.tell(2);
    await eventually(() => expect(sink.ids).toEqual([world.id(2)]), patient);
    await eventually(async () => {
      const { items } = await world.client.list(Event, { namespace: world.scope.namespace });
      expect(items).toMatchObject([{ reason: 'AlertGivenUp', involvedObject: { kind: 'AlertChannel', name: 'hook' } }]);
    }, patient);
  });

  it('is waited for where the channel is wrong, until somebody has put it right', async () => {
    await using world = await AlertWorld.open();
    await using sink = await HttpSink.open();
    await world.channel('hook', { webhook: { url: sink.url, bearerTokenFrom: { name: 'late', key: 'token' } } });
    await world.deliver();
    await world.tell(1);
    await eventually(
      async () => expect((await world.status('hook')).lastError).toBe('Secret late does not exist'),
      patient,
    );
    await world.secret('late', { token: 'right\n' });
    await eventually(() => expect(sink.taken[0]?.headers.authorization).toBe('Bearer right'), patient);
  });
});

describe('an API server that is away', () => {
  it('while an alert is taken makes nobody hear it twice', async () => {
    await using world = await AlertWorld.open();
    await using sink = await HttpSink.open();
    await world.channel('hook', { webhook: { url: sink.url } });
    for (const number of numbers) await world.tell(number);
    let writes = 0;
    const replace: typeof world.client.replace = async (...args) => {
      if (++writes % 3 !== 0) throw new Error('the server is away');
      return await world.client.replace(...args);
    };
    await world.deliver({ client: { ...world.client, replace } });
    await eventually(async () => expect((await world.status('hook')).pending).toBe(0), patient);
    expect(sink.received).toHaveLength(numbers.length);
    expect(sink.ids).toEqual(numbers.map((number) => world.id(number)));
  });
});

describe('an operator that is killed', slow, () => {
  it('before an alert was taken delivers it after its restart', async () => {
    await using world = await AlertWorld.open();
    await using sink = await HttpSink.open();
    await world.channel('hook', { webhook: { url: sink.url } });
    for (const number of numbers) await world.tell(number);
    await using first = new OperatorProcess(world.scope.namespace);
    // At once: an operator that gets no answer asks again.
    sink.next = [() => first.kill()];
    await eventually(() => expect(sink.received).toHaveLength(1), patient);
    await using _second = new OperatorProcess(world.scope.namespace);
    await eventually(() => expect(sink.ids).toEqual(numbers.map((number) => world.id(number))), patient);
  });

  it('after an alert was taken, but before it knew, delivers only that one twice', async () => {
    await using world = await AlertWorld.open();
    await using sink = await HttpSink.open();
    await world.channel('hook', { webhook: { url: sink.url } });
    for (const number of numbers) await world.tell(number);
    await using first = new OperatorProcess(world.scope.namespace);
    sink.next = [200, 200, () => first.kill()];
    await eventually(() => expect(sink.received).toHaveLength(3), patient);
    await using _second = new OperatorProcess(world.scope.namespace);
    await eventually(() => expect(sink.received).toHaveLength(numbers.length + 1), patient);
    const ids = sink.received.map(({ headers }) => decodeURIComponent(String(headers['x-kurator-id'])));
    expect(ids).toEqual([1, 2, 3, 3, 4, 5, 6].map((number) => world.id(number)));
    await eventually(async () => expect((await world.status('hook')).pending).toBe(0), patient);
  });
});

describe('telling', () => {
  it('the same again, as after a crash, tells nobody twice', async () => {
    await using world = await AlertWorld.open();
    await using sink = await HttpSink.open();
    await world.channel('hook', { webhook: { url: sink.url } });
    await world.deliver();
    expect(await world.tell(1)).toEqual(['hook']);
    await eventually(() => expect(sink.ids).toHaveLength(1), patient);
    expect(await world.tell(1)).toEqual(['hook']);
    await world.tell(2);
    await eventually(() => expect(sink.ids).toEqual([world.id(1), world.id(2)]), patient);
  });

  it('many things at once loses none, whoever else writes to the channel', async () => {
    await using world = await AlertWorld.open();
    await using sink = await HttpSink.open();
    await world.channel('hook', { webhook: { url: sink.url } });
    await world.deliver();
    const many = Array.from({ length: 30 }, (_, index) => index + 1);
    await Promise.all(many.map((number) => eventually(() => world.tell(number), patient)));
    await eventually(async () => expect((await world.status('hook')).delivered).toBe(30), patient);
    expect(new Set(sink.ids)).toEqual(new Set(many.map((number) => world.id(number))));
    expect(sink.ids).toHaveLength(30);
  });

  it('is an Event too, whether or not a channel wants it, and says which one is missing', async () => {
    await using world = await AlertWorld.open();
    await world.channel('loud', { stdout: {}, minSeverity: 'page' });
    world.named.push('loud', 'nowhere');
    expect(await world.tell(1)).toEqual(['events']);
    expect(world.events).toMatchObject([
      { type: 'Warning', reason: 'Confirmed' },
      { type: 'Warning', reason: 'AlertChannelMissing', message: expect.stringContaining('nowhere') },
    ]);
    world.events.length = 0;
    expect(await world.tell(2, { severity: 'page' })).toEqual(['loud']);
    expect(world.events).toMatchObject([
      { type: 'Warning', reason: 'Confirmed', message: expect.stringContaining('Others: db: down') },
      { reason: 'AlertChannelMissing' },
    ]);
    expect(await world.tell(3, { severity: 'resolved', stage: 'recovered' })).toEqual(['loud']);
  });

  it('tells nobody in maintenance, and nobody by a channel that was deleted meanwhile', async () => {
    await using world = await AlertWorld.open();
    await world.channel('gone', { stdout: {} });
    expect(await world.tell(1, { silenced: 'maintenance' })).toEqual([]);
    await world.client.delete(AlertChannel, { name: 'gone', namespace: world.scope.namespace });
    expect(await world.tell(2)).toEqual(['events']);
  });

  it('by Events makes one on the Kurator, once', async () => {
    await using world = await AlertWorld.open();
    await world.channel('events', { events: {} });
    await world.deliver();
    await world.tell(1);
    expect(world.events).toEqual([]);
    await eventually(async () => expect((await world.status('events')).delivered).toBe(1), patient);
    const { items } = await world.client.list(Event, { namespace: world.scope.namespace });
    expect(items.filter(({ involvedObject }) => involvedObject.kind === 'Kurator')).toMatchObject([
      {
        type: 'Warning',
        reason: 'Confirmed',
        involvedObject: { name: 'web' },
        message: expect.stringMatching(/^shop\/web is not well\n.*\nOthers: db: down$/),
      },
    ]);
  });
});

describe('services that fail for one cause', () => {
  const services = Array.from({ length: 40 }, (_, index) => `s${index}`);

  it('call on-call by a few pages and one digest, which is resolved with the last of them', async () => {
    await using world = await AlertWorld.open();
    await using sink = await HttpSink.open();
    await world.secret('keys', { routing: 'routing-key' });
    await world.channel('pager', {
      pagerDuty: { routingKeyFrom: { name: 'keys', key: 'routing' }, url: sink.url },
      minSeverity: 'page',
    });
    // Long enough ago for the digest not to wait for company.
    world.now = () => Date.now() - 60_000;
    const down = { severity: 'page', group: 'node/n1', title: 'is down' } as const;
    for (const name of services) await world.tell(1, down, name);
    expect(await world.status('pager')).toMatchObject({ pending: 4 });
    await world.deliver();
    await eventually(() => expect(sink.taken).toHaveLength(4), patient);
    const over = { severity: 'resolved', stage: 'recovered', title: 'is well again' } as const;
    for (const name of services) await eventually(() => world.tell(2, over, name), patient);
    const sent = () => sink.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    const keysOf = (action: string) =>
      new Set(sent().flatMap(({ event_action, dedup_key }) => (event_action === action ? String(dedup_key) : [])));
    await eventually(() => expect(keysOf('resolve')).toEqual(keysOf('trigger')), patient);
    await eventually(async () => expect((await world.status('pager')).pending).toBe(0), patient);
    expect(keysOf('trigger').size).toBe(4);
    expect(sent().length).toBeLessThan(services.length / 2);
    expect(sent()[3]).toMatchObject({
      payload: { severity: 'critical', summary: '37 more services need on-call for one reason: node n1 is in trouble' },
    });
    // Of each service its own Events tell, whatever a channel makes of them.
    expect(world.events).toHaveLength(2 * services.length);
  });

  it('are told of by the operator that comes after one that was killed', slow, async () => {
    await using world = await AlertWorld.open();
    await using sink = await HttpSink.open();
    await world.channel('hook', { webhook: { url: sink.url }, minSeverity: 'page' });
    await using first = new OperatorProcess(world.scope.namespace);
    sink.next = [() => first.kill()];
    world.now = () => Date.now() - 60_000;
    for (const name of services.slice(0, 6)) await world.tell(1, { severity: 'page', group: 'network' }, name);
    await eventually(() => expect(sink.received).toHaveLength(1), patient);
    await using _second = new OperatorProcess(world.scope.namespace);
    await eventually(() => expect(sink.ids).toHaveLength(4), patient);
    expect(JSON.parse(sink.taken[3]?.body ?? '')).toMatchObject({
      service: '*',
      group: 'network',
      title: '3 more services need on-call for one reason: the network',
    });
    await eventually(async () => expect((await world.status('hook')).pending).toBe(0), patient);
  });
});

describe('a webhook', () => {
  it('receives the alert as JSON, signed so that it can be verified, and no secret is to be seen anywhere', async () => {
    await using world = await AlertWorld.open();
    await using sink = await HttpSink.open();
    await world.secret('hook', { url: `${sink.url}/top-secret`, token: 'top-secret-token', key: 'top-secret-key' });
    const from = (key: string) => ({ name: 'hook', key });
    const webhook = { urlFrom: from('url'), bearerTokenFrom: from('token'), signingKeyFrom: from('key') };
    await world.channel('hook', { webhook });
    sink.next = [500, 400, (response) => response.destroy()];
    await using operator = new OperatorProcess(world.scope.namespace);
    await world.tell(1, { severity: 'page' });
    const errors = new Set<string>();
    await eventually(
      async () => {
        errors.add((await world.status('hook')).lastError ?? '');
        expect(sink.taken).toHaveLength(1);
      },
      { ...patient, interval: 10 },
    );
    const [{ headers, body, path } = expect.fail('nothing came')] = sink.taken;
    expect(path).toBe('/top-secret');
    expect(headers.authorization).toBe('Bearer top-secret-token');
    expect(JSON.parse(body)).toMatchObject({
      id: world.id(1),
      severity: 'page',
      service: 'web',
      others: [{ name: 'db', state: 'down' }],
    });
    const signed = `${headers['x-kurator-timestamp']}.${body}`;
    const expected = createHmac('sha256', 'top-secret-key').update(signed).digest('hex');
    expect(headers['x-kurator-signature']).toBe(`sha256=${expected}`);
    await eventually(async () => expect((await world.status('hook')).pending).toBe(0), patient);
    expect(errors.size).toBeGreaterThan(1);
    expect(operator.output).toMatch('could not be delivered');
    const { items } = await world.client.list(Event, { namespace: world.scope.namespace });
    const channel = await world.client.get(AlertChannel, { name: 'hook', namespace: world.scope.namespace });
    expect([...errors, operator.output, JSON.stringify(items), JSON.stringify(channel)].join()).not.toMatch(
      'top-secret',
    );
  });

  it('receives what its template says, with its own headers', async () => {
    await using world = await AlertWorld.open();
    await using sink = await HttpSink.open();
    const template = '{"text": "{{title}}", "severity": "{{severity}}"}';
    await world.channel('hook', { webhook: { url: sink.url, template, headers: { 'X-Team': 'shop' } } });
    await world.deliver();
    await world.tell(1, { title: 'it said "no"' });
    await eventually(() => expect(sink.taken).toHaveLength(1), patient);
    expect(JSON.parse(sink.taken[0]?.body ?? '')).toEqual({ text: 'it said "no"', severity: 'warning' });
    expect(sink.taken[0]?.headers).toMatchObject({ 'x-team': 'shop', 'content-type': 'application/json' });
  });
});

describe('a page about a service whose Kurator is deleted in the middle of the incident', () => {
  const page = { severity: 'page', stage: 'handedOver' } as const;
  const alerts = ({ taken }: HttpSink) => taken.map(({ body }) => JSON.parse(body) as Alert);

  it.each(['while the operator runs', 'while no operator runs'])('is closed with the reason: %s', async (when) => {
    await using world = await AlertWorld.open();
    await using sink = await HttpSink.open();
    await world.channel('hook', { webhook: { url: sink.url }, minSeverity: 'page' });
    const { metadata } = await world.kurator('web');
    await world.kurator('other');
    const others = (service: string) => [{ name: `all but ${service}`, state: 'healthy' }];
    if (when === 'while the operator runs') await world.deliver({ others });
    await world.tell(1, page);
    await world.tell(1, page, 'other');
    if (when === 'while the operator runs') await eventually(() => expect(sink.taken).toHaveLength(2), patient);
    await world.client.delete(Kurator, metadata);
    if (when === 'while no operator runs') await world.deliver({ others });
    await eventually(() => expect(sink.taken).toHaveLength(3), patient);
    const [opened, , closed] = alerts(sink);
    expect(closed).toMatchObject({ status: 'resolved', severity: 'resolved', service: 'web', stage: 'withdrawn' });
    expect([closed?.thread, closed?.incident]).toEqual([opened?.thread, opened?.incident]);
    expect(closed?.lines.join()).toContain('Kurator web was deleted');
    expect(closed?.others).toEqual(others(`${metadata.namespace}/web`));
    // The other's is still open, and what comes next about it is told as ever.
    await world.tell(2, { severity: 'resolved', stage: 'recovered' }, 'other');
    await eventually(() => expect(sink.taken).toHaveLength(4), patient);
    expect(alerts(sink).at(-1)).toMatchObject({ service: 'other', stage: 'recovered' });
  });
});

it('Slack, PagerDuty and Alertmanager each receive what they take', async () => {
  await using world = await AlertWorld.open();
  await using sink = await HttpSink.open();
  sink.otherwise = 200;
  await world.secret('keys', { slack: `${sink.url}/slack`, routing: 'routing-key' });
  await world.channel('slack', { slack: { urlFrom: { name: 'keys', key: 'slack' }, channel: '#ops' } });
  await world.channel('pager', {
    pagerDuty: { routingKeyFrom: { name: 'keys', key: 'routing' }, url: `${sink.url}/pager` },
    minSeverity: 'page',
  });
  await world.channel('prom', { alertmanager: { url: `${sink.url}/prom/`, labels: { team: 'shop' } } });
  await world.deliver();
  await world.tell(1, { severity: 'page', title: 'web <is> down & out' });
  await world.tell(2, { severity: 'resolved', stage: 'recovered', title: 'web is well again' });
  await eventually(() => expect(sink.taken).toHaveLength(6), patient);
  const bodies = (path: string) =>
    sink.taken.filter((one) => one.path === path).map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  expect(bodies('/slack')[0]).toMatchObject({
    text: expect.stringMatching(/^🔴 web &lt;is&gt; down &amp; out\n/),
    channel: '#ops',
  });
  const [opened, resolved] = bodies('/pager');
  expect(opened).toMatchObject({
    routing_key: 'routing-key',
    event_action: 'trigger',
    payload: { severity: 'critical', summary: 'web <is> down & out' },
  });
  expect(resolved).toMatchObject({ event_action: 'resolve', dedup_key: opened?.dedup_key });
  const [firing, over] = bodies('/prom/api/v2/alerts').flat() as Record<string, unknown>[];
  expect(firing?.labels).toEqual(over?.labels);
  expect(firing?.labels).toMatchObject({ alertname: 'KuratorIncident', service: 'web', team: 'shop' });
  expect(Date.parse(String(firing?.endsAt))).toBeGreaterThan(Date.now());
  expect(Date.parse(String(over?.endsAt))).toBeLessThanOrEqual(Date.now());
});
