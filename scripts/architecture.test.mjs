/** What ARCHITECTURE.md names is there; and the walks name files where they are, in the order in which they are met. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const text = readFileSync('ARCHITECTURE.md', 'utf8');
const sources = globSync('{packages,operators,scripts,e2e,examples}/**/*.{ts,mjs}', {
  exclude: ['**/node_modules/**', '**/dist/**'],
});

/** @param {string} part files and folders in backticks */
const namedIn = (part) =>
  [...part.matchAll(/`([\w.-]+(?:\/[\w.-]+)*(?:\.(?:ts|mjs)|\/))`/g)].map(([, path = '']) => path);

it('every file and folder that it names is there', () => {
  const missing = namedIn(text).filter((path) => {
    const inside = path.endsWith('/') ? `/${path}` : undefined;
    return (
      !existsSync(path) &&
      !sources.some((file) => (inside ? `/${file}`.includes(inside) : `/${file}`.endsWith(`/${path}`)))
    );
  });
  expect(namedIn(text).length).toBeGreaterThan(60);
  expect(missing).toEqual([]);
});

it.each([
  {
    walk: 'One change, from the watch to the write',
    root: 'packages/runtime/src',
    past: ['reflector', 'object-table', 'intake', 'work-queue', 'executor', 'reconcile', 'apply', 'fenced-client'],
  },
  {
    walk: 'One fault, from the probe to the alert',
    root: 'operators/kurator/src',
    past: ['http-probe', 'perception', 'heal', 'detect', 'diagnose', 'decide', 'write-status', 'carry-out', 'delivery'],
  },
  {
    walk: 'One pass of operators/etcd/src',
    root: 'operators/etcd/src',
    past: ['certificates', 'look', 'situation', 'decide', 'record', 'carry-out', 'rotate', 'status', 'telling'],
  },
])('$walk: files where they are, in their order', ({ walk, root, past }) => {
  const steps = text.slice(text.indexOf(walk)).match(/^1\. [\s\S]*?(?=^## |(?![\s\S]))/m)?.[0] ?? '';
  const named = namedIn(steps);
  expect(named.filter((path) => !existsSync(path) && !existsSync(join(root, path)))).toEqual([]);
  const places = past.map((name) => named.findIndex((path) => `/${path}`.endsWith(`/${name}.ts`)));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});
