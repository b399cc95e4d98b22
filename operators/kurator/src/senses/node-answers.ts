/** When something on each node last answered a check, whosever it is: who answers shows that its node lives. */
import { type Millis, minute } from '../brain/time.ts';

/** Nobody asks for longer ago than it takes Kubernetes to see that a node is lost. */
const keptFor = 5 * minute;

/** Keeps when the newest check was begun that was answered, by node. */
export class NodeAnswers {
  /** The longest ago first. */
  readonly #answers = new Map<string, Millis>();

  note(node: string, at: Millis): void {
    const newest = Math.max(at, this.#answers.get(node) ?? at);
    this.#answers.delete(node);
    this.#answers.set(node, newest);
    for (const [one, last] of this.#answers) {
      if (last >= at - keptFor) break;
      this.#answers.delete(one);
    }
  }

  /** Undefined when nothing on it has answered for minutes. */
  of(node: string): Millis | undefined {
    return this.#answers.get(node);
  }
}
