/** What a newcomer sees when the machine can't be made ready: what happened, and what to do about it. */
export class SetupError extends Error {
  /**
   * @param {string} message
   * @param {string} remedy one sentence or one command
   */
  constructor(message, remedy) {
    super(message);
    this.name = 'SetupError';
    this.remedy = remedy;
  }
}

/** Somebody pressed Ctrl-C, or ended us otherwise: clean up, say nothing, and end the same way. */
export class Interrupted extends Error {
  /** @param {NodeJS.Signals} signal */
  constructor(signal) {
    super(`interrupted by ${signal}`);
    this.name = 'Interrupted';
    this.signal = signal;
  }
}
