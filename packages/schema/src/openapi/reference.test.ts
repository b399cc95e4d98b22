// docs/reference/schema.md says what becomes of each zod construct. Here its tables are run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as schema from '../index.ts';
import { placeAt } from './place.ts';
import { checkRuleBudget } from './rule-budget.ts';
import { translate } from './translate.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/reference/schema.md'), 'utf8');
const rows = [...page.matchAll(/^\| `(?<code>.+)` \| `(?<right>.+)` \|$/gm)].map(({ groups }) => ({
  code: (groups?.code ?? '').replaceAll('\\|', '|'),
  right: (groups?.right ?? '').replaceAll('\\|', '|'),
}));

function evaluate(code: string): z.ZodType {
  return new Function('z', ...Object.keys(schema), `return ${code};`)(z, ...Object.values(schema));
}

function openApi(code: string) {
  const translated = translate(evaluate(code), placeAt('spec.field')).schema;
  checkRuleBudget(translated);
  return translated;
}

const translations = rows.filter(({ right }) => right.startsWith('{'));
const errors = rows.filter(({ right }) => right.startsWith('KUR_'));

it('the page has its tables', () => {
  expect(translations.length).toBeGreaterThan(40);
  expect(errors.length).toBeGreaterThan(20);
});

describe('is translated as the reference says', () => {
  it.each(translations)('$code', ({ code, right }) => {
    expect(openApi(code)).toEqual(JSON.parse(right));
  });
});

describe('is refused as the reference says, with the place and what to write instead', () => {
  it.each(errors)('$code', ({ code, right }) => {
    const wanted = { name: 'SchemaError', code: right, remedy: expect.any(String) };
    expect(() => openApi(code)).toThrow(expect.objectContaining(wanted));
  });
});
