import { ClientError } from '@kurator/client';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { untilAnswered } from './install-crds.ts';

const away = new ClientError('KUR_CLIENT_UNREACHABLE', 'nothing listens there');

/** Fails with these, one after the other, and then answers. */
function answering(errors: Error[]): () => Promise<string> {
  return async () => {
    const error = errors.shift();
    if (error) throw error;
    return 'answered';
  };
}

describe('an operator in a pod', () => {
  it('waits for an API server that is away, and says so each time', async () => {
    const clock = new ManualClock();
    const troubles: string[] = [];
    const onTrouble = ({ message }: Error) => void troubles.push(message);
    const waiting = untilAnswered(answering([away, away, away]), {
      stop: new AbortController().signal,
      clock,
      onTrouble,
    });
    for (const seconds of [1, 2, 4]) await clock.advance(seconds * 1_000);
    expect(await waiting).toBe('answered');
    expect(troubles).toEqual(Array(3).fill(away.message));
  });

  it('does not wait for what does not pass by itself', async () => {
    const forbidden = new ClientError('KUR_CLIENT_FORBIDDEN', 'may not list');
    const options = { stop: new AbortController().signal, clock: new ManualClock(), onTrouble: () => {} };
    await expect(untilAnswered(answering([forbidden]), options)).rejects.toBe(forbidden);
  });

  it('ends when it is told to', async () => {
    const end = new AbortController();
    const options = { stop: end.signal, clock: new ManualClock(), onTrouble: () => end.abort() };
    await expect(untilAnswered(answering([away, away]), options)).rejects.toBe(away);
  });
});
