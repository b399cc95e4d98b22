import { type Client, type KubernetesObject, resourceType } from '@kurator/client';
import { expect, it, vi } from 'vitest';
import { memoryCache } from '../../../test/support/memory-cache.ts';
import { OwnWrites } from './own-writes.ts';

interface Thing extends KubernetesObject {
  spec?: { size: number };
  status?: { phase: string };
}
const Thing = resourceType<Thing>('example.com/v1', 'Thing');
const reference = { name: 'a', namespace: 'n' };

/** A cache whose changes are judged, and a client that answers when it is told to. */
function surroundings() {
  const things = memoryCache(Thing);
  things.put({ metadata: { ...reference, uid: 'u' } });
  const writes = new OwnWrites();
  const judged: boolean[] = [];
  things.listen((change) => {
    if (!change.initial) judged.push(writes.predicate(change as never));
  });
  const answers: ((answer: Thing) => void)[] = [];
  const patch = () => new Promise((resolve) => answers.push(resolve));
  const client = writes.client({ patch } as unknown as Client);
  const write = () => client.patch(Thing, reference, {}, { subresource: 'status' });
  const setStatus = (phase: string) => things.change('n/a', (thing) => Object.assign(thing, { status: { phase } }));
  const onForeign = vi.fn();
  writes.onForeign = onForeign;
  judged.length = 0;
  return { things, judged, answers, write, setStatus, onForeign };
}

it('does not count a status write of ours whose answer comes first', async () => {
  const { judged, answers, write, setStatus, things } = surroundings();
  const writing = write();
  const written = structuredClone(things.get(reference) as Thing);
  written.metadata.resourceVersion = '102';
  answers[0]?.(written);
  await writing;
  setStatus('done');
  expect(judged).toEqual([false]);
});

it('does not count one that the watch brings first', async () => {
  const { judged, answers, write, setStatus, onForeign } = surroundings();
  const writing = write();
  const seen = setStatus('done');
  answers[0]?.(seen);
  await writing;
  expect([judged, onForeign.mock.calls]).toEqual([[false], []]);
});

it('tells later of what somebody else wrote while an answer was awaited', async () => {
  const { judged, answers, write, setStatus, onForeign } = surroundings();
  const writing = write();
  setStatus('theirs');
  answers[0]?.(setStatus('ours'));
  await writing;
  expect(judged).toEqual([false, false]);
  expect(onForeign).toHaveBeenCalledExactlyOnceWith(reference);
});

it('counts a change of anything else, also one that our own write brings along', async () => {
  const { judged, answers, write, things } = surroundings();
  const writing = write();
  const seen = things.change('n/a', (thing) => {
    thing.spec = { size: 2 };
    thing.status = { phase: 'done' };
  });
  answers[0]?.(seen);
  await writing;
  expect(judged).toEqual([true]);
});

it('counts what others write at any other time, and does not count our notes', async () => {
  const { judged, answers, write, setStatus, things } = surroundings();
  setStatus('theirs');
  const writing = write();
  const seen = things.change('n/a', (thing) => {
    thing.metadata.annotations = { 'kurator.dev/last-run.x': 'now' };
  });
  answers[0]?.(seen);
  await writing;
  expect(judged).toEqual([true, false]);
});

it('loses nothing when two of our writes are under way at once', async () => {
  const { judged, answers, write, setStatus, onForeign } = surroundings();
  const [first, second] = [write(), write()];
  setStatus('theirs');
  answers[0]?.(setStatus('first'));
  await first;
  answers[1]?.(setStatus('second'));
  await second;
  expect(judged).toEqual([false, false, false]);
  expect(onForeign).toHaveBeenCalledWith(reference);
});

it('takes none of two writes of ours at once for somebody else’s', async () => {
  const { judged, answers, write, setStatus, onForeign } = surroundings();
  const [first, second] = [write(), write()];
  const [one, other] = [setStatus('first'), setStatus('second')];
  answers[1]?.(other);
  await second;
  answers[0]?.(one);
  await first;
  expect([judged, onForeign.mock.calls]).toEqual([[false, false], []]);
});
