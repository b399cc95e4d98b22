import { ClientError } from '@kurator/client';
import { describe, expect, it } from 'vitest';
import { ManualClock, settled } from '../../../test/support/manual-clock.ts';
import { Outbox } from './outbox.ts';

interface Letter {
  queued: boolean;
  text: string;
}

function open(send: (text: string) => Promise<void>, most?: number) {
  const clock = new ManualClock();
  const sent: string[] = [];
  const failed: string[] = [];
  const outbox = new Outbox<Letter>(clock, {
    send: async ({ text }) => {
      sent.push(text);
      await send(text);
    },
    onFailed: ({ text }) => void failed.push(text),
    random: () => 0.5,
    ...(most === undefined ? {} : { most }),
  });
  const add = (...texts: string[]) => texts.map((text) => outbox.add({ text, queued: false }));
  return { clock, outbox, sent, failed, add };
}

const away = () => new ClientError('KUR_CLIENT_UNREACHABLE', 'nothing listens there');

describe('an outbox', () => {
  it('sends in order, one at a time', async () => {
    let under = 0;
    const { outbox, sent, add } = open(async () => {
      expect(++under).toBe(1);
      await settled();
      under--;
    });
    add('a', 'b', 'c');
    await outbox.emptied();
    expect(sent).toEqual(['a', 'b', 'c']);
    expect(outbox.busy).toBe(false);
  });

  it('tries again after a while when the server is away', async () => {
    let left = 2;
    const { clock, sent, failed, add } = open(async () => {
      if (left-- > 0) throw away();
    });
    add('a', 'b');
    await clock.advance(9_999);
    expect(sent).toEqual(['a']);
    await clock.advance(10_001);
    expect(sent).toEqual(['a', 'a', 'a', 'b']);
    expect(failed).toEqual([]);
  });

  it('gives up after twelve tries, and at once on a refusal', async () => {
    const { clock, sent, failed, add } = open(async (text) => {
      throw text === 'a' ? away() : new ClientError('KUR_CLIENT_FORBIDDEN', 'no');
    });
    add('a', 'b');
    await clock.advance(120_000);
    expect(sent).toEqual([...Array.from({ length: 12 }, () => 'a'), 'b']);
    expect(failed).toEqual(['a', 'b']);
  });

  it('refuses what is too much', () => {
    const { add } = open(async () => {}, 2);
    expect(add('a', 'b', 'c')).toEqual([true, true, false]);
  });

  it('lets the waiting go when their signal fires', async () => {
    const { outbox, add } = open(() => new Promise(() => {}));
    add('a');
    await outbox.emptied(AbortSignal.timeout(10));
    outbox.close();
    expect(add('b')).toEqual([false]);
  });
});
