/** An HTTP request that gets no review in answer: the API server then does what the failure policy says. */
export class Refusal extends Error {
  readonly status: number;

  /** @param message goes to the caller as it is: nothing internal in it. */
  constructor(status: number, message: string) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
  }
}
