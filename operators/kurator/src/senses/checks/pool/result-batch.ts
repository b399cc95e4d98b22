/** Results on their way from a thread: numbers in one array that changes hands, texts only where something is wrong. */
import type { Measurement } from '../check-result.ts';
import type { ErrorKind, Outcome } from '../error-kind.ts';

/** What crosses the threads' border. */
export interface EncodedResults {
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly errors: readonly (readonly [row: number, kind: ErrorKind, message: string])[];
}

/** Receives one result; `version` tells which of the checks that had this number it is of. */
export type TakeResult = (id: number, version: number, result: Measurement) => void;

const outcomes: readonly Outcome[] = ['healthy', 'failing', 'unknown'];
/** Number, version, outcome, at, latencyMs, connectMs, statusCode, certificateExpiresAt, heldUpMs; NaN for what is missing. */
const COLUMNS = 9;

export class ResultBatch {
  #numbers = new Float64Array(COLUMNS * 64);
  #errors: [number, ErrorKind, string][] = [];
  #rows = 0;

  get size(): number {
    return this.#rows;
  }

  add(id: number, version: number, result: Measurement): void {
    const at = this.#rows * COLUMNS;
    if (at === this.#numbers.length) this.#grow();
    const numbers = this.#numbers;
    numbers[at] = id;
    numbers[at + 1] = version;
    numbers[at + 2] = outcomes.indexOf(result.outcome);
    numbers[at + 3] = result.at;
    numbers[at + 4] = result.latencyMs;
    numbers[at + 5] = result.connectMs ?? Number.NaN;
    numbers[at + 6] = result.statusCode ?? Number.NaN;
    numbers[at + 7] = result.certificateExpiresAt ?? Number.NaN;
    numbers[at + 8] = result.heldUpMs ?? Number.NaN;
    if (result.errorKind) this.#errors.push([this.#rows, result.errorKind, result.message]);
    this.#rows++;
  }

  /** Everything so far, and begins anew. */
  take(): EncodedResults {
    const taken = { numbers: this.#numbers.slice(0, this.#rows * COLUMNS), errors: this.#errors };
    this.#errors = [];
    this.#rows = 0;
    return taken;
  }

  #grow(): void {
    const bigger = new Float64Array(this.#numbers.length * 2);
    bigger.set(this.#numbers);
    this.#numbers = bigger;
  }
}

/** Gives out the results one by one, as they were added. */
export function decodeResults({ numbers, errors }: EncodedResults, take: TakeResult): void {
  let nextError = 0;
  for (let row = 0; row * COLUMNS < numbers.length; row++) {
    const at = row * COLUMNS;
    const number = (column: number) => numbers[at + column] as number;
    const error = errors[nextError]?.[0] === row ? errors[nextError++] : undefined;
    take(number(0), number(1), {
      outcome: outcomes[number(2)] as Outcome,
      ...(error && { errorKind: error[1] }),
      message: error?.[2] ?? '',
      at: number(3),
      latencyMs: number(4),
      ...(!Number.isNaN(number(5)) && { connectMs: number(5) }),
      ...(!Number.isNaN(number(6)) && { statusCode: number(6) }),
      ...(!Number.isNaN(number(7)) && { certificateExpiresAt: number(7) }),
      ...(!Number.isNaN(number(8)) && { heldUpMs: number(8) }),
    });
  }
}
