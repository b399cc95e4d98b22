/** What an instance has promised, on its volume: there, and synced, before anything follows from it. */
import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Disk, EMPTY_DISK } from '../brain/instance.ts';

export class PromiseFile {
  readonly #path: string;
  #disk: Disk;

  private constructor(path: string, disk: Disk) {
    this.#path = path;
    this.#disk = disk;
  }

  /** @throws Where there is one that can't be read: what was promised is then not known. */
  static async open(path: string): Promise<PromiseFile> {
    const text = await readFile(path, 'utf8').catch((error) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    return new PromiseFile(path, text === undefined ? EMPTY_DISK : { ...EMPTY_DISK, ...(JSON.parse(text) as Disk) });
  }

  get disk(): Disk {
    return this.#disk;
  }

  /** Resolves once it would outlive the machine. */
  async write(next: Disk): Promise<void> {
    const text = JSON.stringify(next);
    if (text === JSON.stringify(this.#disk)) return;
    const file = await open(`${this.#path}.new`, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${this.#path}.new`, this.#path);
    const folder = await open(dirname(this.#path), 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
    this.#disk = next;
  }
}
