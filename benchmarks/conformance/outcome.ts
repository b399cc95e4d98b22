/** What a test is, and how it came out. */

/** One test of the suite, by the name that its authors gave it. */
export interface Test {
  readonly name: string;
  readonly isSerial: boolean;
}

/** How a test came out. */
export interface Outcome {
  readonly name: string;
  readonly state: 'passed' | 'failed';
  readonly seconds: number;
  /** Of a failure: the first line of what the suite said. */
  readonly reason?: string;
}
