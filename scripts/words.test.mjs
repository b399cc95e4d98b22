/**
 * What is printed, recorded and sent says Kubernetes' own words, as docs/reference/glossary.md does: pod, CRD, on-call, idle. Names
 * of fields, metrics and options are older than that, and stay; so do the words of the code, which only its authors read.
 */
import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';

const commands = 'packages/{cli,command,kubectl-kurator,tour}/src/**/*.ts';
const sources = globSync(['operators/kurator/src/**/*.ts', commands]).filter((path) => !path.endsWith('.test.ts'));

const instead = {
  pod: /(?<![-./\w])instances?\b/i,
  CRD: /\bkinds\b|\b(?:a|each|every|no) kind\b(?! of node)/i,
  'on-call': /\bpersons?\b|\bby people\b/i,
  idle: /^rest: |\brests\b|\bof rest\b/i,
};

it('sentences of the healer and of the command line say pod, CRD, on-call and idle', () => {
  const sentences = sources.flatMap((path) => sentencesOf(path));
  expect(sentences.length).toBeGreaterThan(1000);
  const strange = Object.entries(instead).flatMap(([word, other]) =>
    sentences.filter(({ text }) => other.test(text)).map(({ at, text }) => `${at}: ${text} (say ${word})`),
  );
  expect(strange).toEqual([]);
});

it.each(['deploy/monitoring/grafana-dashboard.json', 'deploy/monitoring/prometheus-rules.yaml'])(
  'so does %s',
  (path) => {
    const titles = readFileSync(path, 'utf8').match(/(?:title|description|summary)"?: .+/g) ?? [];
    expect(titles.length).toBeGreaterThan(10);
    expect(titles.filter((text) => Object.values(instead).some((other) => other.test(text)))).toEqual([]);
  },
);

const manuals = [
  'README.md',
  'docs/{how-to,tutorial,explanation,reference}/*.md',
  '{operators,packages}/*/README.md',
  'deploy/README.md',
];

it('so do the pages for users; a kind is what Kubernetes calls so', () => {
  const pages = globSync(manuals).filter((path) => !/node_modules|glossary|reference\/api/.test(path));
  expect(pages.length).toBeGreaterThan(50);
  const { CRD: _, ...others } = instead;
  const strange = pages.flatMap((path) => {
    const prose = readFileSync(path, 'utf8').replace(/```[\s\S]*?```|`[^`\n]*`/g, '…');
    return prose.split('\n').filter((line) => Object.values(others).some((other) => other.test(line)));
  });
  expect(strange).toEqual([]);
});

/**
 * Strings with a space in them; what is filled in is left out.
 *
 * @param {string} path
 */
function sentencesOf(path) {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  /** @type {{ at: string, text: string }[]} */
  const found = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    const text = textOf(node);
    if (text && /\s/.test(text)) {
      const { line } = source.getLineAndCharacterOfPosition(node.pos);
      found.push({ at: `${path}:${line + 1}`, text });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** @param {ts.Node} node */
function textOf(node) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join('…');
}
