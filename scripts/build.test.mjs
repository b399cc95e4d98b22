/** tsc builds side by side what no reference puts in order: a missing one fails now and then, and only where nothing was built. */
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const projects = globSync('{packages,operators}/*/tsconfig.json').map((file) => dirname(file));

/** @param {string} folder */
const packageName = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).name;

/**
 * @param {string} file a tsconfig
 * @returns {string[]} the folders that it refers to
 */
function references(file) {
  const { references: named = [] } = JSON.parse(readFileSync(file, 'utf8').replace(/^\s*\/\/.*$/gm, ''));
  return named.map((/** @type {{ path: string }} */ { path }) => relative('.', join(dirname(file), path)));
}

/**
 * @param {string} folder
 * @returns {string[]} the packages of ours that its published sources import
 */
function imported(folder) {
  const sources = globSync(`${folder}/src/**/*.ts`).filter((file) => !file.endsWith('.test.ts'));
  const names = sources.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/from '(@kurator\/[\w-]+)/g)].map(([, name = '']) => name),
  );
  return [...new Set(names)].filter((name) => name !== packageName(folder)).sort();
}

describe.each(projects.map((folder) => ({ name: basename(folder), folder })))('$name', ({ folder }) => {
  it('is built after all that it imports', () => {
    const before = references(join(folder, 'tsconfig.json')).map(packageName);
    expect(imported(folder).filter((name) => !before.includes(name))).toEqual([]);
  });

  it('is built', () => {
    expect(references('tsconfig.build.json')).toContain(folder);
  });
});

it('finds what is imported', () => {
  expect(imported('packages/sdk')).toEqual(['@kurator/client', '@kurator/runtime', '@kurator/schema']);
});
