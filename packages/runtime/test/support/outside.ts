/** Something that is not in Kubernetes, as a cloud's load balancer would be: a thing for each key, and what was done. */
import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DIARY = 'diary';

export class Outside {
  readonly #folder: string;

  /** @param folder where things are kept, a file each */
  constructor(folder: string) {
    this.#folder = folder;
  }

  read(key: string): string | undefined {
    try {
      return readFileSync(this.#file(key), 'utf8');
    } catch {
      return undefined;
    }
  }

  put(key: string, value: string): void {
    const file = this.#file(key);
    writeFileSync(`${file}.new`, value);
    renameSync(`${file}.new`, file);
    this.#note(`put ${value}`);
  }

  remove(key: string): void {
    rmSync(this.#file(key));
    this.#note('remove');
  }

  /** Everything that was ever done, in its order. */
  diary(): string[] {
    return readFileSync(join(this.#folder, DIARY), 'utf8').trimEnd().split('\n');
  }

  #note(what: string): void {
    appendFileSync(join(this.#folder, DIARY), `${what}\n`);
  }

  #file(key: string): string {
    return join(this.#folder, encodeURIComponent(key));
  }
}
