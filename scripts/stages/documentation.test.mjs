import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { undocumentedExports } from './documentation.mjs';

describe('undocumentedExports', () => {
  /** @type {string} */
  let folder;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kurator-docs-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('finds what is exported through the front door without a doc comment, and nothing else', () => {
    writeFileSync(
      join(folder, 'index.ts'),
      `export { silent, told } from './inner.ts';\nexport type { Told } from './inner.ts';`,
    );
    writeFileSync(
      join(folder, 'inner.ts'),
      `/** Says what it is. */\nexport function told() {}\n\nexport function silent() {}\n\nexport const inside = 1;\n
       /** A type, too. */\nexport interface Told {}\n`,
    );
    const found = undocumentedExports([join(folder, 'index.ts')]);
    expect(found).toEqual([{ file: join(folder, 'inner.ts'), line: 4, name: 'silent' }]);
  });
});
