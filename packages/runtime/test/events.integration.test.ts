import { ConfigMap, type KubernetesObject, Namespace } from '@kurator/client';
import { sharedClient, testNamespace } from '@kurator/testenv';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ReportedEvent } from '../src/events/event.ts';
import { createEventRecorder, type EventRecorderOptions } from '../src/events/event-recorder.ts';
import type { Happening } from '../src/events/happening.ts';
import { ManualClock } from './support/manual-clock.ts';

const scaled: Happening = { type: 'Normal', reason: 'Scaled', action: 'Scale', note: 'from 1 to 3 replicas' };

async function setUp(options: Partial<EventRecorderOptions> = {}) {
  const client = await sharedClient();
  onTestFinished(() => client.close());
  const namespace = await testNamespace(client, 'events');
  const object = await client.create(ConfigMap, { metadata: { name: 'web', namespace } });
  const clock = new ManualClock(Date.now());
  const troubles: string[] = [];
  const recorder = createEventRecorder({
    client,
    reportingController: 'kurator.test/operator',
    clock,
    onTrouble: (what, error) => void troubles.push(`${what} ${error ?? ''}`),
    ...options,
  });
  onTestFinished(() => recorder.stop());
  const events = async (regarding: KubernetesObject = object) => {
    const { items } = await client.list(ReportedEvent, { namespace: regarding.metadata.namespace ?? 'default' });
    return items.filter((event) => event.regarding.uid === regarding.metadata.uid);
  };
  return { client, namespace, object, clock, recorder, events, troubles };
}

describe('an event recorder on a real API server', () => {
  it('tells what happened, where kubectl finds it', async () => {
    const { object, namespace, recorder, events, client } = await setUp();
    recorder.record(object, { ...scaled, related: object });
    await recorder.flush();
    const [event] = await events();
    expect(event).toMatchObject({
      ...scaled,
      regarding: { apiVersion: 'v1', kind: 'ConfigMap', name: 'web', namespace, uid: object.metadata.uid },
      related: { kind: 'ConfigMap', name: 'web' },
      reportingController: 'kurator.test/operator',
      reportingInstance: expect.stringMatching(/^kurator\.test-operator-/),
    });
    expect(event?.series).toBeUndefined();
    const fieldSelector = `involvedObject.uid=${object.metadata.uid},reason=Scaled`;
    const core = await client.raw<{ items: unknown[] }>('GET', `/api/v1/namespaces/${namespace}/events`, {
      query: { fieldSelector },
    });
    expect(core.items).toHaveLength(1);
    expect(recorder.statistics).toEqual({ created: 1, updated: 0, dropped: 0, failed: 0, invalid: 0 });
  });

  it('counts the same again instead of telling it again, in one write for many', async () => {
    const { object, clock, recorder, events } = await setUp();
    recorder.record(object, scaled);
    await recorder.flush();
    // As many as the object's allowance is enough for, if each of them should be a write.
    for (let i = 0; i < 20; i++) {
      await clock.advance(60_000);
      recorder.record(object, scaled);
      recorder.record(object, scaled);
    }
    await recorder.flush();
    const found = await events();
    expect(found).toHaveLength(1);
    expect(found[0]?.series).toEqual({
      count: 41,
      lastObservedTime: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
    });
    expect(recorder.statistics.updated).toBeLessThanOrEqual(21);
  });

  it('writes a count by itself after a moment', async () => {
    const { object, clock, recorder, events } = await setUp();
    recorder.record(object, scaled);
    await recorder.flush();
    recorder.record(object, scaled);
    await clock.advance(5_000);
    await expect.poll(async () => (await events())[0]?.series?.count).toBe(2);
  });

  it('begins a new series after six quiet minutes, and for whatever differs', async () => {
    const { object, clock, recorder, events } = await setUp();
    recorder.record(object, scaled);
    recorder.record(object, { ...scaled, note: 'from 3 to 1' });
    recorder.record(object, { ...scaled, type: 'Warning' });
    await recorder.flush();
    expect(await events()).toHaveLength(3);
    await clock.advance(6 * 60_000 + 1);
    recorder.record(object, scaled);
    await recorder.flush();
    expect(await events()).toHaveLength(4);
  });

  it('stops a flood about one object after 25 writes, says so once, and counts what it dropped', async () => {
    const { object, client, namespace, recorder, events, troubles } = await setUp();
    const quiet = await client.create(ConfigMap, { metadata: { name: 'quiet', namespace } });
    for (let i = 0; i < 100; i++) recorder.record(object, { ...scaled, note: `number ${i}` });
    recorder.record(quiet, scaled);
    await recorder.flush();
    expect(await events()).toHaveLength(25);
    expect(await events(quiet)).toHaveLength(1);
    expect(recorder.statistics).toMatchObject({ created: 26, dropped: 75 });
    expect(troubles).toEqual([expect.stringContaining('some are dropped')]);
  });

  it('goes on counting a series while its object may not be written about, and tells it when it may', async () => {
    const { object, clock, recorder, events } = await setUp({ spamLimit: { burst: 1 } });
    recorder.record(object, scaled);
    await recorder.flush();
    for (let i = 0; i < 9; i++) recorder.record(object, scaled);
    await recorder.flush();
    expect((await events())[0]?.series).toBeUndefined();
    await clock.advance(305_000);
    await expect.poll(async () => (await events())[0]?.series?.count).toBe(10);
  });

  it('makes an event anew that the server has forgotten', async () => {
    const { object, client, namespace, recorder, events } = await setUp();
    recorder.record(object, scaled);
    await recorder.flush();
    const [event] = await events();
    await client.delete(ReportedEvent, { name: event?.metadata.name ?? '', namespace });
    recorder.record(object, scaled);
    await recorder.flush();
    expect(await events()).toEqual([expect.objectContaining({ series: expect.objectContaining({ count: 2 }) })]);
  });

  it('takes the longest note and the oddest name that there can be', async () => {
    const { client, object, namespace, recorder, events, troubles } = await setUp();
    const long = await client.create(ConfigMap, { metadata: { name: 'x'.repeat(253), namespace } });
    recorder.record(object, { ...scaled, note: '😀'.repeat(1000) });
    recorder.record(long, scaled);
    recorder.record({ ...object, metadata: { ...object.metadata, name: 'system:odd' } }, { ...scaled, note: 'odd' });
    await recorder.flush();
    expect(troubles).toEqual([]);
    expect((await events()).map(({ metadata }) => metadata.name).sort()).toEqual([
      expect.stringMatching(/^event\.[0-9a-f]{16}$/),
      expect.stringMatching(/^web\.[0-9a-f]{16}$/),
    ]);
    expect(await events(long)).toHaveLength(1);
  });

  it('tells of what belongs to the whole cluster in the namespace default', async () => {
    const { client, namespace, recorder, events } = await setUp();
    const object = await client.get(Namespace, { name: namespace });
    recorder.record(object, scaled);
    await recorder.flush();
    expect(await events(object)).toHaveLength(1);
  });

  it('never fails who records, and says what was wrong', async () => {
    const { object, recorder, troubles } = await setUp();
    recorder.record(object, { ...scaled, reason: 'not a word' });
    recorder.record({} as KubernetesObject, scaled);
    recorder.record({ ...object, metadata: { ...object.metadata, namespace: 'gone' } }, scaled);
    await recorder.flush();
    expect(recorder.statistics).toEqual({ created: 0, updated: 0, dropped: 0, failed: 1, invalid: 2 });
    expect(troubles).toEqual([
      expect.stringContaining('reason "not a word"'),
      expect.stringContaining('could not be recorded'),
      expect.stringContaining('namespaces "gone" not found'),
    ]);
  });

  it('writes out what waits when it is stopped, and takes nothing after that', async () => {
    const { object, recorder, events } = await setUp();
    for (let i = 0; i < 7; i++) recorder.record(object, scaled);
    await recorder.stop();
    recorder.record(object, { ...scaled, note: 'too late' });
    expect(await events()).toEqual([expect.objectContaining({ series: expect.objectContaining({ count: 7 }) })]);
  });

  it('refuses a reporter that the server would refuse', () => {
    const client = undefined as never;
    expect(() => createEventRecorder({ client, reportingController: 'my operator' })).toThrow('my operator');
  });
});
