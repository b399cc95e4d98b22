/** What the pages link to is there, and the index of the documentation leaves no page out. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const pages = globSync(['*.md', '{docs,packages,operators,examples,benchmarks,deploy}/**/*.md'], {
  exclude: ['**/node_modules/**', '**/dist/**'],
}).sort();

/** @param {string} page */
const withoutBlocks = (page) => readFileSync(page, 'utf8').replace(/^( *)(```+)[\s\S]*?^\1\2 *$/gm, '');

/** @param {string} page as the headings of a page are named in links to them */
function anchorsOf(page) {
  const times = new Map();
  return [...withoutBlocks(page).matchAll(/^#{1,6} +(.*?) *$/gm)].map(([, heading = '']) => {
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const name = words.replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-');
    const before = times.get(name) ?? 0;
    times.set(name, before + 1);
    return before > 0 ? `${name}-${before}` : name;
  });
}

/** @param {string} page */
function linksOf(page) {
  const prose = withoutBlocks(page).replace(/(`+)[\s\S]*?\1/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
}

/** @param {string} page @param {string} link */
function leadsNowhere(page, link) {
  if (/^[a-z]+:/.test(link)) return false;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(target)) return true;
  return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
}

describe('every link leads somewhere', () => {
  it.each(pages)('in %s', (page) => {
    expect(linksOf(page).filter((link) => leadsNowhere(page, link))).toEqual([]);
  });
});

it('the index of the documentation names every page', () => {
  const linked = new Set(linksOf('docs/README.md').map((link) => join('docs', link)));
  const others = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md');
  expect(others.filter((page) => !linked.has(page))).toEqual([]);
});
