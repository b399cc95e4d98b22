/** Makes a page of reference for each package, from what its front door exports and the comments there. */
import { relative } from 'node:path';
import ts from 'typescript';
import { signatureOf } from './api-signature.mjs';

/**
 * @typedef {object} Export one name that a package exports
 * @property {string} name
 * @property {string} section
 * @property {string} signature
 * @property {string} text what its comment says
 * @property {string} file where it is declared, from the repository's root
 */

/** The packages that have a page, in the order in which one needs them. */
export const documented = ['client', 'schema', 'runtime', 'sdk', 'pki', 'registry', 'object-store', 'testenv'];

const folder = 'docs/reference/api';
const toRoot = '../../..';

/** Which part of the page it is in; the first that fits, for a name may be a type and a value. */
const sections = /** @type {const} */ ([
  ['Functions', ts.SymbolFlags.Function],
  ['Classes', ts.SymbolFlags.Class],
  ['Constants', ts.SymbolFlags.Variable],
  ['Interfaces', ts.SymbolFlags.Interface],
  ['Types', ts.SymbolFlags.TypeAlias],
]);

/**
 * The pages by their paths, and what is exported without a comment.
 *
 * @returns {{ pages: Map<string, string>, missing: string[] }}
 */
export function apiPages() {
  const doors = new Map(documented.map((name) => [name, `packages/${name}/src/index.ts`]));
  const program = ts.createProgram([...doors.values()], {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ESNext,
    allowImportingTsExtensions: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    customConditions: ['source'],
    types: ['node'],
  });
  const exportsOf = new Map([...doors].map(([name, door]) => [name, readExports(program, door)]));
  const pages = [...exportsOf].map(
    ([name, exports]) => /** @type {const} */ ([`${folder}/${name}.md`, page(name, exports)]),
  );
  const missing = [...exportsOf.values()].flat().filter(({ text }) => text === '');
  return { pages: new Map(pages), missing: [...new Set(missing.map(({ file, name }) => `${file}: ${name}`))] };
}

/**
 * @param {ts.Program} program
 * @param {string} door
 * @returns {Export[]}
 */
function readExports(program, door) {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(door);
  const front = source && checker.getSymbolAtLocation(source);
  if (!front) throw new Error(`${door} exports nothing`);
  return checker
    .getExportsOfModule(front)
    .flatMap((exported) => describe(checker, exported))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * @param {ts.TypeChecker} checker
 * @param {ts.Symbol} exported
 * @returns {Export[]}
 */
function describe(checker, exported) {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  const declarations = symbol.declarations ?? [];
  const file = relative('.', declarations[0]?.getSourceFile().fileName ?? '');
  if (!isOurs(file)) return [];
  const [section] = sections.find(([, flag]) => symbol.flags & flag) ?? ['Types'];
  const signature = declarations
    .map((one) => signatureOf(checker, one))
    .filter(Boolean)
    .join('\n\n');
  return [{ name: exported.name, section, signature, text: textOf(checker, symbol), file }];
}

/** Not the kinds of Kubernetes, of which there are hundreds, nor what others have made. */
function isOurs(/** @type {string} */ file) {
  return file.startsWith('packages/') && !file.startsWith('packages/client/src/generated/');
}

/**
 * @param {ts.TypeChecker} checker
 * @param {ts.Symbol} symbol
 */
function textOf(checker, symbol) {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  const tags = symbol.getJsDocTags(checker).map(({ name, text: parts }) => {
    const words = ts.displayPartsToString(parts).trim();
    const [first = '', ...rest] = words.split(' ');
    return name === 'param' ? `- \`${first}\`: ${rest.join(' ')}` : `- ${name}: ${words}`;
  });
  const list = tags.length > 0 ? `\n\n${tags.join('\n')}` : '';
  return `${text}${list}`.replace(/\{@link\s+([^}|]+?)(\s*\|[^}]*)?\}/g, '`$1`').trim();
}

const openings = /** @type {Record<string, string>} */ ({
  client:
    'The built-in kinds are not listed: those that most programs use (Pod, Deployment, Secret, …) are exported by their ' +
    'bare names, all others by group and version, as `@kurator/client/networking/v1`. Their sources are in ' +
    '`packages/client/src/generated`, made from the OpenAPI document of Kubernetes.',
  testenv:
    'Beside it there are two smaller doors: `@kurator/testenv/vitest`, a global set-up that starts one control plane for ' +
    'all tests, and `@kurator/testenv/clock`, the `ManualClock` alone.',
  sdk: 'The front door for authors of operators. It makes nothing itself; what it gives is described where it is made. It also exports `z` of zod, and the built-in kinds of the client.',
});

/**
 * @param {string} name
 * @param {Export[]} exports
 */
function page(name, exports) {
  const head = [
    `# @kurator/${name}`,
    '<!-- Made by `npm run api-reference` from the comments in the sources: change those. -->',
    `What \`packages/${name}/src/index.ts\` exports. [README](${toRoot}/packages/${name}/README.md)`,
    openings[name] ?? '',
  ];
  const body = name === 'sdk' ? [index(exports)] : sections.flatMap(([title]) => section(title, exports));
  return `${[...head, ...body].filter(Boolean).join('\n\n')}\n`;
}

/**
 * @param {string} title
 * @param {Export[]} exports
 * @returns {string[]}
 */
function section(title, exports) {
  const inside = exports.filter((one) => one.section === title);
  if (inside.length === 0) return [];
  return [`## ${title}`, ...inside.map(entry)];
}

/** @param {Export} one */
function entry({ name, signature, text, file }) {
  return [`### ${name}`, text, `\`\`\`ts\n${signature}\n\`\`\``, `[${file}](${toRoot}/${file})`].join('\n\n');
}

/** @param {Export[]} exports */
function index(exports) {
  const rows = exports.map(({ name, section, file, text }) => {
    const home = file.split('/')[1];
    const firstSentence =
      text
        .split(/(?<=[.])\s/)[0]
        ?.replaceAll('\n', ' ')
        .replaceAll('|', '\\|') ?? '';
    const kind = sectionNoun[section] ?? '';
    return `| [${name}](${home}.md#${name.toLowerCase()}) | ${kind} | ${firstSentence} |`;
  });
  return ['| name | is | what it is for |', '| --- | --- | --- |', ...rows].join('\n');
}

const sectionNoun = /** @type {Record<string, string>} */ ({
  Functions: 'function',
  Classes: 'class',
  Constants: 'constant',
  Interfaces: 'interface',
  Types: 'type',
});
