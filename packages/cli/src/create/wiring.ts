/**
 * Small additions to files that people edit: an import, a call, a step of a chain. Each finds its place by what the
 * templates write there, gives the text back as it was where the addition is there already, and says what to write by
 * hand where the place is not found. Pure.
 */
import { CliError } from '@kurator/command';

/** The name under which a source exports its operator: `export const theOperator = operator(…)`. */
export function operatorIn(source: string, path: string): string {
  const name = /^export const (\w+)\b.*= operator\(/m.exec(source)?.[1];
  if (name) return name;
  throw unwired(path, 'there is no `export const … = operator(…)` in it', 'declare the operator there so');
}

/** Has the operator control a kind. */
export function withController(source: string, path: string, kind: string, importFrom: string): string {
  const operator = operatorIn(source, path);
  if (new RegExp(`\\bcontrol${kind}\\(`).test(source)) return source;
  const imported = withImport(source, `control${kind}`, importFrom);
  return `${imported.trimEnd()}\n\ncontrol${kind}(${operator});\n`.replace(
    /(\ncontrol\w+\(\w+\);)\n\n(?=control)/g,
    '$1\n',
  );
}

/** Adds a step to the chain of a controller, right after `.controller(Kind)`. */
export function withHook(source: string, path: string, kind: string, hook: 'validate' | 'mutate'): string {
  const name = `${hook}${kind}`;
  if (new RegExp(`\\.${hook}\\(`).test(source)) return source;
  const chain = new RegExp(`^(\\s*)\\.controller\\(${kind}\\b.*\\)$`, 'm').exec(source);
  if (!chain)
    throw unwired(path, `there is no line \`.controller(${kind})\` in it`, `add .${hook}(${name}) to the chain`);
  const [line, indent = ''] = chain;
  const wired = source.replace(line, `${line}\n${indent}.${hook}(${name})`);
  return withImport(wired, name, './webhooks.ts');
}

/** Adds a version to a resource, the same as the one that is there, until somebody makes it differ. */
export function withVersion(source: string, path: string, kind: string, version: string): string {
  if (new RegExp(`\\.withVersion\\('${version}'|\\bversion: '${version}'`).test(source)) return source;
  const remedy = `add .withVersion('${version}', { spec, status, convert: { … } }) to ${kind}`;
  if (!/^const spec\b/m.test(source) || !/^const status\b/m.test(source)) {
    throw unwired(path, 'there are no `const spec` and `const status` in it', remedy);
  }
  const begin = source.search(new RegExp(`^export const ${kind} = resource\\(\\{$`, 'm'));
  const end = begin < 0 ? -1 : source.indexOf('\n})', begin);
  const close = end < 0 ? -1 : source.indexOf(';\n', end);
  if (close < 0) throw unwired(path, `there is no \`export const ${kind} = resource({ … });\` in it`, remedy);
  return `${source.slice(0, close)}.withVersion('${version}', {
  // The same as above for now: write down what is different here, and how one becomes the other.
  spec,
  status,
  convert: {
    toHub: (object) => object,
    fromHub: (object) => object,
  },
})${source.slice(close)}`;
}

/** Joins what is imported from there already, or comes after the last import. */
function withImport(source: string, name: string, from: string): string {
  const there = source.split('\n').find((line) => line.startsWith('import {') && line.endsWith(`} from '${from}';`));
  if (there) {
    const names = there.slice(there.indexOf('{') + 1, there.indexOf('}')).split(',');
    const all = new Set([...names.map((each) => each.trim()), name]);
    return source.replace(there, `import { ${[...all].toSorted().join(', ')} } from '${from}';`);
  }
  const line = `import { ${name} } from '${from}';`;
  const last = [...source.matchAll(/^(import .*|\} from .*)$/gm)].at(-1);
  if (!last) return `${line}\n\n${source}`;
  const at = last.index + last[0].length;
  return `${source.slice(0, at)}\n${line}${source.slice(at)}`;
}

function unwired(path: string, why: string, remedy: string): CliError {
  return new CliError('KUR_CLI_WIRING', `${path} can't be added to: ${why}`, { remedy });
}
