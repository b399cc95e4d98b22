/**
 * What this replica knows of the table. Answers overtake each other: what is known is replaced by what was asked for
 * later than it was learned, or is a later version of the same table, and by nothing else.
 */
import type { StoredTable } from './group-store.ts';

export interface TableChange {
  readonly before: StoredTable | undefined;
  readonly now: StoredTable | undefined;
}

/** When a question was asked, in terms of {@link TableKnowledge}. */
export type Asked = number;

export class TableKnowledge {
  readonly #onChange: (change: TableChange) => void;
  #stored: StoredTable | undefined;
  #ticks = 0;
  #learnedAt = 0;
  #seen = false;

  constructor(onChange: (change: TableChange) => void) {
    this.#onChange = onChange;
  }

  get stored(): StoredTable | undefined {
    return this.#stored;
  }

  /** Whether there has ever been a table. */
  get seen(): boolean {
    return this.#seen;
  }

  /** To be called before a read is sent. */
  ask(): Asked {
    return ++this.#ticks;
  }

  /** The answer to a read. */
  answered(stored: StoredTable | undefined, asked: Asked): void {
    if (asked > this.#learnedAt || this.#isLater(stored)) this.#learn(stored);
  }

  /** What a watch or an answer to a write brought; says whether that leaves a question open. */
  heard(stored: StoredTable | undefined): 'known' | 'ask' {
    if (this.#isLater(stored)) this.#learn(stored);
    return stored?.uid === this.#stored?.uid ? 'known' : 'ask';
  }

  #isLater(stored: StoredTable | undefined): boolean {
    if (!stored || !this.#stored || stored.uid !== this.#stored.uid) return false;
    return stored.table.version > this.#stored.table.version;
  }

  #learn(now: StoredTable | undefined): void {
    const before = this.#stored;
    this.#stored = now;
    this.#learnedAt = ++this.#ticks;
    this.#seen ||= now !== undefined;
    this.#onChange({ before, now });
  }
}
