import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Measurement } from '../check-result.ts';
import type { ErrorKind } from '../error-kind.ts';
import { findingOf } from '../probes/probe-run.ts';
import { decodeResults, ResultBatch } from './result-batch.ts';

const number = fc.double({ min: 0, max: 2e12, noNaN: true });
const measured = fc.record(
  {
    at: number,
    latencyMs: number,
    connectMs: number,
    statusCode: fc.integer({ min: 100, max: 599 }),
    certificateExpiresAt: number,
  },
  { requiredKeys: ['at', 'latencyMs'] },
);
const found = fc.oneof(
  fc.constant({ outcome: 'healthy', message: '' } as const),
  fc
    .record({
      kind: fc.constantFrom<ErrorKind>('refused', 'status', 'checker-files'),
      message: fc.string({ minLength: 1 }),
    })
    .map(({ kind, message }) => findingOf(kind, message)),
);
const result = fc.tuple(measured, found).map(([times, finding]): Measurement => ({ ...times, ...finding }));

it('brings every result over as it was, in order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(), fc.nat(), result), { maxLength: 200 }), (sent) => {
      const batch = new ResultBatch();
      for (const row of sent) batch.add(...row);
      expect(batch.size).toBe(sent.length);
      const received: typeof sent = [];
      decodeResults(structuredClone(batch.take()), (...row) => received.push(row));
      expect(received).toEqual(sent);
      expect(batch.size).toBe(0);
    }),
  );
});
