import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cruise } from 'dependency-cruiser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import config from '../.dependency-cruiser.mjs';

const rooms = [
  ...['client', 'pki', 'schema', 'runtime', 'sdk', 'registry', 'object-store', 'testenv', 'console', 'command', 'cli'],
  ...['kubectl-kurator', 'tour'],
];

const healerRooms = ['resources', 'access', 'brain', 'memory', 'senses', 'hands', 'voice', 'healer'];
const brainRooms = ['perception', 'evidence', 'diagnosis', 'incident', 'dependencies', 'recovery'];

/** @typedef {{ file: string, rule: string }} Broken */

let count = 0;

/**
 * A name that no other file has.
 *
 * @param {string} place
 */
const own = (place) => place.replace(/(?<=\/)a(?=\.)/, () => `a${++count}`);

const allowed = [
  ['packages/runtime/src/a.ts', '@kurator/client'],
  ['packages/runtime/src/a.ts', '@kurator/schema'],
  ['packages/schema/src/a.ts', '@kurator/client'],
  ['packages/runtime/src/a.ts', '@kurator/pki'],
  ['packages/testenv/src/a.ts', '@kurator/pki'],
  ['operators/myapp/src/a.ts', '@kurator/pki'],
  ['packages/client/src/a.test.ts', '@kurator/pki'],
  ['packages/sdk/src/a.ts', '@kurator/runtime'],
  ['packages/testenv/src/a.ts', '@kurator/client'],
  ['packages/testenv/src/a.ts', '@kurator/registry'],
  ['packages/cli/src/a.ts', '@kurator/testenv'],
  ['packages/cli/src/a.ts', '@kurator/command'],
  ['packages/cli/src/a.test.ts', '@kurator/kubectl-kurator'],
  ['packages/kubectl-kurator/src/a.ts', '@kurator/cli'],
  ['packages/kubectl-kurator/src/a.ts', '@kurator/operator-kurator'],
  ['packages/tour/src/a.ts', '@kurator/kubectl-kurator'],
  ['operators/myapp/src/a.ts', '@kurator/sdk'],
  ['operators/myapp/src/a.ts', '@kurator/object-store'],
  ['packages/client/src/a.test.ts', '@kurator/testenv'],
  ['packages/client/test/a.integration.test.ts', '@kurator/testenv'],
  ['packages/client/test/a.integration.test.ts', '../src/internal/secret.ts'],
  ['packages/client/test/a.integration.test.ts', '../src/index.ts'],
  ['e2e/a.e2e.test.ts', '@kurator/runtime'],
  ['packages/runtime/src/cache/a.ts', './internal/shelf.ts'],
  ['packages/runtime/src/cache/a.ts', './internal/deep/shelf.ts'],
  ['packages/runtime/src/cache/deep/down/a.ts', '../../internal/shelf.ts'],
  ['packages/runtime/src/cache/internal/deep/a.ts', '../shelf.ts'],
  ['packages/runtime/src/cache/a.ts', '../internal/secret.ts'],
  ['packages/runtime/test/support/a.ts', '../../src/cache/internal/shelf.ts'],
  ['examples/src/a.ts', '@kurator/sdk'],
  ['examples/test/a.integration.test.ts', '@kurator/testenv'],
  ['examples/test/a.integration.test.ts', '../src/index.ts'],
  ['operators/kurator/src/memory/a.ts', '../brain/thing.ts'],
  ['operators/kurator/src/senses/checks/a.ts', '../../memory/thing.ts'],
  ['operators/kurator/src/hands/a.ts', '../memory/thing.ts'],
  ['operators/kurator/src/voice/a.ts', '../senses/thing.ts'],
  ['operators/kurator/src/healer/a.ts', '../hands/thing.ts'],
  ['operators/kurator/src/brain/recovery/stages/a.ts', '../../dependencies/thing.ts'],
  ['operators/kurator/src/brain/evidence/a.ts', '../thing.ts'],
  ['operators/kurator/src/brain/a.test.ts', '../senses/thing.ts'],
].map(([place = '', imported]) => ({
  file: own(place),
  place,
  imported,
  code: `import type { Thing } from '${imported}';\nexport type Mine = Thing;`,
}));

const forbidden = [
  ['packages/client/src/a.ts', '@kurator/runtime', 'client-imports-one-way'],
  ['packages/schema/src/a.ts', '@kurator/runtime', 'schema-imports-one-way'],
  ['packages/schema/src/a.ts', '@kurator/client', 'schema-loads-no-client'],
  ['packages/client/src/a.ts', '@kurator/pki', 'client-imports-one-way'],
  ['packages/pki/src/a.ts', '@kurator/client', 'pki-imports-one-way'],
  ['packages/runtime/src/a.ts', '@kurator/sdk', 'runtime-imports-one-way'],
  ['packages/sdk/src/a.ts', '@kurator/testenv', 'sdk-imports-one-way'],
  ['packages/registry/src/a.ts', '@kurator/testenv', 'registry-imports-one-way'],
  ['packages/testenv/src/a.ts', '@kurator/runtime', 'testenv-imports-one-way'],
  ['packages/object-store/src/a.ts', '@kurator/runtime', 'object-store-imports-one-way'],
  ['packages/console/src/a.ts', '@kurator/client', 'console-imports-one-way'],
  ['packages/command/src/a.ts', '@kurator/cli', 'command-imports-one-way'],
  ['packages/command/src/a.ts', '@kurator/testenv', 'command-imports-one-way'],
  ['packages/cli/src/a.ts', '@kurator/kubectl-kurator', 'cli-imports-one-way'],
  ['packages/cli/src/a.ts', '@kurator/tour', 'cli-imports-one-way'],
  ['packages/cli/src/a.ts', '@kurator/operator-kurator', 'cli-imports-one-way'],
  ['packages/kubectl-kurator/src/a.ts', '@kurator/tour', 'kubectl-kurator-imports-one-way'],
  ['packages/kubectl-kurator/src/a.ts', '@kurator/testenv', 'kubectl-kurator-imports-one-way'],
  ['packages/tour/src/a.ts', '@kurator/runtime', 'tour-imports-one-way'],
  ['packages/cli/src/a.ts', '../../../scripts/a.mjs', 'no-import-of-the-workshop'],
  ['operators/myapp/src/a.ts', '@kurator/client', 'operators-imports-one-way'],
  ['operators/myapp/src/a.ts', '@kurator/etcd', 'operators-imports-one-way'],
  ['packages/client/src/a.test.ts', '@kurator/runtime', 'client-imports-one-way-in-tests'],
  ['packages/runtime/src/a.ts', '../../client/src/internal/secret.ts', 'only-through-the-front-door'],
  ['e2e/a.e2e.test.ts', '../packages/client/src/internal/secret.ts', 'only-through-the-front-door'],
  ['packages/runtime/src/a.ts', '@kurator/client/src/internal/secret.ts', 'no-import-that-leads-nowhere'],
  ['packages/runtime/src/a.ts', '../../client/src/index.ts', 'another-package-by-its-name'],
  ['e2e/a.e2e.test.ts', '../packages/client/src/index.ts', 'another-package-by-its-name'],
  ['packages/client/src/a.ts', './a.test.ts', 'tests-are-nobodys-dependency'],
  ['packages/client/src/a.ts', './not-there.ts', 'no-import-that-leads-nowhere'],
  ['packages/client/src/a.ts', 'left-pad', 'only-declared-dependencies'],
  ['scripts/setup/a.mjs', 'left-pad', 'set-up-needs-nothing-but-node'],
  ['packages/runtime/src/queue/a.ts', '../cache/internal/shelf.ts', 'internal-is-private-to-its-folder'],
  ['packages/runtime/src/queue/internal/a.ts', '../../cache/internal/shelf.ts', 'internal-is-private-to-its-folder'],
  ['packages/runtime/src/index.ts', './cache/internal/shelf.ts', 'internal-is-private-to-its-folder'],
  ['packages/runtime/src/queue/a.test.ts', '../cache/internal/deep/shelf.ts', 'internal-is-private-to-its-folder'],
  ['examples/src/a.ts', '@kurator/runtime', 'examples-import-the-sdk'],
  ['examples/src/a.ts', '@kurator/testenv', 'examples-import-the-sdk'],
  ['examples/src/a.ts', '@kurator/myapp', 'examples-import-the-sdk'],
  ['examples/test/a.integration.test.ts', '@kurator/runtime', 'examples-import-the-sdk-in-tests'],
  ['examples/src/a.ts', '../../packages/sdk/src/index.ts', 'another-package-by-its-name'],
  ['examples/src/a.ts', '../../scripts/a.mjs', 'no-import-of-the-workshop'],
  ['packages/testenv/src/faults/a.ts', '../cluster/thing.ts', 'testenv-parts-know-no-cluster'],
  ['packages/testenv/src/machines/a.ts', '../cluster/thing.ts', 'testenv-parts-know-no-cluster'],
  ['operators/kurator/src/resources/a.ts', '../memory/thing.ts', 'healer-resources-imports-one-way'],
  ['operators/kurator/src/access/a.ts', '../senses/thing.ts', 'healer-access-imports-one-way'],
  ['operators/kurator/src/memory/a.ts', '../hands/thing.ts', 'healer-memory-imports-one-way'],
  ['operators/kurator/src/senses/checks/a.ts', '../../voice/thing.ts', 'healer-senses-imports-one-way'],
  ['operators/kurator/src/hands/a.ts', '../senses/thing.ts', 'healer-hands-imports-one-way'],
  ['operators/kurator/src/voice/a.ts', '../hands/thing.ts', 'healer-voice-imports-one-way'],
  ['operators/kurator/src/voice/a.ts', '../healer/thing.ts', 'healer-voice-imports-one-way'],
  ['operators/kurator/src/brain/a.ts', '../resources/thing.ts', 'brains-are-pure'],
  ['operators/kurator/src/brain/evidence/a.ts', '../incident/thing.ts', 'healer-brain-evidence-imports-one-way'],
  [
    'operators/kurator/src/brain/dependencies/a.ts',
    '../recovery/thing.ts',
    'healer-brain-dependencies-imports-one-way',
  ],
  ['operators/kurator/src/brain/a.ts', '@kurator/sdk', 'brains-are-pure'],
  ['operators/kurator/src/brain/a.ts', 'node:crypto', 'brains-are-pure'],
  ['operators/etcd/src/brain/a.ts', '../children/thing.ts', 'brains-are-pure'],
].map(([place = '', imported, rule]) => ({
  file: own(place),
  place,
  imported,
  rule,
  code: `import { thing } from '${imported}';\nexport const mine = thing;`,
}));

const seen = [
  ['a type', `import type { Thing } from '@kurator/runtime';\nexport type Mine = Thing;`],
  ['a type among values', `import { type Thing } from '@kurator/runtime';\nexport type Mine = Thing;`],
  ['a type in place', `export type Mine = import('@kurator/runtime').Thing;`],
  ['a re-export', `export * from '@kurator/runtime';`],
  ['a dynamic import', `export const load = async () => { if (load) await import('@kurator/runtime'); };`],
  ['an import beside newer syntax', `import '@kurator/runtime';\nexport async function f() { await using x = null; }`],
].map(([what, code = '']) => ({ file: own('packages/client/src/a.ts'), what, code }));

/** A small repository with every room of the design, also those that don't exist here yet. */
describe('import rules', () => {
  /** @type {string} */
  let root;
  /** What is wrong in it before there are files that import anything, and with all of them together: a look at it takes its time. */
  /** @type {Broken[]} */
  let before;
  /** @type {Broken[]} */
  let after;

  beforeAll(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'kurator-imports-')));
    write('package.json', JSON.stringify({ private: true, workspaces: ['packages/*', 'operators/*', 'examples'] }));
    for (const room of rooms) {
      addPackage(`packages/${room}`, `@kurator/${room}`);
      write(`packages/${room}/src/internal/secret.ts`, 'export type Secret = string;');
    }
    write('e2e/empty.e2e.test.ts', '');
    write('scripts/empty.mjs', '');
    addPackage('operators/myapp', '@kurator/myapp');
    addPackage('operators/etcd', '@kurator/etcd');
    addPackage('examples', '@kurator/examples');
    write('packages/runtime/src/cache/internal/shelf.ts', 'export type Thing = string;\nexport const thing = 1;');
    write('packages/runtime/src/cache/internal/deep/shelf.ts', 'export type Thing = string;\nexport const thing = 1;');
    addPackage('operators/kurator', '@kurator/operator-kurator');
    for (const room of [...healerRooms, ...brainRooms.map((room) => `brain/${room}`)]) {
      write(`operators/kurator/src/${room}/thing.ts`, 'export type Thing = string;\nexport const thing = 1;');
    }
    write('packages/testenv/src/cluster/thing.ts', 'export const thing = 1;');
    before = await broken();
    write('packages/client/src/a.test.ts', 'export const thing = 1;');
    write('packages/client/src/a.ts', `import './b.ts';`);
    write('packages/client/src/b.ts', `import './a.ts';`);
    write('scripts/a.mjs', 'export const thing = 1;');
    write('node_modules/left-pad/package.json', JSON.stringify({ name: 'left-pad', main: 'index.js' }));
    write('node_modules/left-pad/index.js', '');
    for (const { file, code } of [...allowed, ...forbidden, ...seen]) write(file, code);
    after = await broken();
    // The whole of it is read twice, on whatever else the machine does.
  }, 60_000);
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  /**
   * @param {string} file
   * @param {string} content
   */
  function write(file, content) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), content);
  }

  /**
   * @param {string} folder
   * @param {string} name
   */
  function addPackage(folder, name) {
    const dependencies = Object.fromEntries(rooms.map((room) => [`@kurator/${room}`, '0.1.0']));
    const exports = { '.': { source: './src/index.ts', default: './dist/index.js' } };
    write(`${folder}/package.json`, JSON.stringify({ name, type: 'module', exports, dependencies }));
    write(`${folder}/src/index.ts`, 'export type Thing = string;\nexport const thing = 1;');
    mkdirSync(join(root, 'node_modules/@kurator'), { recursive: true });
    symlinkSync(join(root, folder), join(root, 'node_modules', name));
  }

  /** The rules that are broken in the small repository, and by which file. */
  async function broken() {
    const { output } = await cruise(
      ['packages', 'operators', 'examples', 'e2e', 'scripts'],
      { ...config.options, baseDir: root, validate: true, ruleSet: { forbidden: config.forbidden ?? [] } },
      config.options?.enhancedResolveOptions,
    );
    if (typeof output === 'string') throw new Error(output);
    return output.summary.violations.map(({ from, rule }) => ({ file: from, rule: rule.name }));
  }

  /** @param {string} file */
  const brokenBy = (file) => after.filter((one) => one.file === file).map(({ rule }) => rule);

  it('have nothing against the small repository as it is', () => {
    expect(before).toEqual([]);
  });

  it.each(allowed)('let $place import $imported', ({ file }) => {
    expect(brokenBy(file)).toEqual([]);
  });

  it.each(forbidden)('keep $place from importing $imported: $rule', ({ file, rule }) => {
    expect(brokenBy(file)).toContain(rule);
  });

  it('keep two files from importing each other', () => {
    expect(brokenBy('packages/client/src/a.ts')).toContain('no-cycles');
  });

  it.each(seen)('see $what in TypeScript', ({ file }) => {
    expect(brokenBy(file)).toContain('client-imports-one-way');
  });
});
