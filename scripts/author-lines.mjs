/**
 * Counts what an author writes for MyApp, on our SDK and on others:
 *
 *     npm run -s author-lines
 *
 * prints the table of docs/explanation/author-lines.md. Only files that the author writes or edits are counted; what a
 * tool writes for him, and lists of dependencies, are not.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const others = 'benchmarks/author-lines';
const java = `${others}/java-operator-sdk/src/main/java/com/example`;

/** @type {{ name: string, language: string, files: string[] }[]} */
const subjects = [
  {
    name: 'Kurator',
    language: 'TypeScript',
    files: ['operators/myapp/src/index.ts', 'operators/myapp/src/main.ts'],
  },
  {
    name: 'kopf',
    language: 'Python, YAML',
    files: [`${others}/kopf/main.py`, `${others}/kopf/crd.yaml`],
  },
  {
    name: 'kubebuilder',
    language: 'Go',
    files: [
      `${others}/kubebuilder/api/v1alpha1/myapp_types.go`,
      `${others}/kubebuilder/internal/controller/myapp_controller.go`,
      `${others}/kubebuilder/cmd/main.go`,
    ],
  },
  { name: 'kube-rs', language: 'Rust', files: [`${others}/kube-rs/src/main.rs`] },
  {
    name: 'Java Operator SDK',
    language: 'Java',
    files: ['MyApp', 'AppDeployment', 'MyAppReconciler', 'Main'].map((name) => `${java}/${name}.java`),
  },
];

/** @typedef {{ line: RegExp, open: RegExp, close: RegExp }} Comments */

/** @type {Comments} */
const slashes = { line: /^\/\//, open: /^\/\*/, close: /\*\// };
const never = /$^/;

/**
 * How a line that is nothing but comment begins, and how a longer comment begins and ends.
 *
 * @type {Record<string, Comments>}
 */
const comments = {
  ts: slashes,
  rs: slashes,
  java: slashes,
  // What kubebuilder reads is code, though it looks like a comment.
  go: { ...slashes, line: /^\/\/(?! \+)/ },
  py: { line: /^(#|""".*""")/, open: /^"""/, close: /"""/ },
  yaml: { line: /^#/, open: never, close: never },
};

/**
 * The lines of a source that are neither blank nor comment alone.
 *
 * @param {string} source
 * @param {string} extension
 */
export function codeLines(source, extension) {
  const { line: comment, open, close } = comments[extension] ?? slashes;
  let isInside = false;
  return source.split('\n').filter((text) => {
    const line = text.trim();
    if (isInside) {
      isInside = !close.test(line);
      return false;
    }
    if (line === '' || comment.test(line)) return false;
    if (!open.test(line)) return true;
    isInside = !close.test(line.slice(2));
    return false;
  });
}

/** @param {string} file */
function linesOf(file) {
  return codeLines(readFileSync(join(root, file), 'utf8'), file.slice(file.lastIndexOf('.') + 1));
}

/** The whole table, as Markdown. */
export function authorLines() {
  const rows = subjects.map(({ name, language, files }) => {
    const lines = files.flatMap(linesOf);
    const characters = lines.join('').replace(/\s/g, '').length;
    return `| ${name} | ${language} | ${files.length} | ${lines.length} | ${characters} |`;
  });
  return ['| SDK | language | files | lines | characters |', '| --- | --- | ---: | ---: | ---: |', ...rows].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(authorLines());
