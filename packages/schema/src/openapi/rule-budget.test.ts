// The numbers that are compared with here were measured: test/budget.integration.test.ts asks a real server.
import type { JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import { describe, expect, it } from 'vitest';
import { checkRuleBudget } from './rule-budget.ts';
import { estimate } from './rule-cost.ts';

const text = (maxLength?: number): JSONSchemaProps => ({ type: 'string', ...(maxLength ? { maxLength } : {}) });
const fields: JSONSchemaProps = { type: 'object', properties: { a: { type: 'string', enum: ['x', 'y'] }, b: text() } };
const map = (maxProperties: number): JSONSchemaProps => ({
  type: 'object',
  maxProperties,
  additionalProperties: text(),
});

describe('the cost of a rule', () => {
  it.each<[rule: string, schema: JSONSchemaProps, measured: number]>([
    ['self in [1, 2]', { type: 'integer' }, 13],
    ["self != 'a'", text(), 2],
    ["self.matches('^[a-z]+$')", text(100), 83],
    ['has(self.a)', fields, 1],
    ["self.a != 'x' || has(self.b)", fields, 4],
    ["!(self.a in ['x', 'y']) || has(self.b)", fields, 16],
    ['self.all(key, size(key) <= 3)', map(100), 602],
    ["self.all(key, size(key) <= 3 && key.matches('^[a-z]+$'))", map(10), 92],
    [
      "quantity(string(self)).compareTo(quantity('2Gi')) <= 0",
      { 'x-kubernetes-int-or-string': true, maxLength: 64 },
      56,
    ],
    ["duration(self) <= duration('2s')", text(64), 4],
  ])('%s is about what the server reckons', (rule, schema, measured) => {
    expect(Math.abs(estimate(rule, schema, '').cost - measured)).toBeLessThanOrEqual(3);
  });
});

describe('a rule', () => {
  const inList = (rule: string, item: JSONSchemaProps, maxItems?: number): JSONSchemaProps => ({
    type: 'object',
    properties: {
      list: {
        type: 'array',
        ...(maxItems ? { maxItems } : {}),
        items: { ...item, 'x-kubernetes-validations': [{ rule }] },
      },
    },
  });

  it('may be in a list without a bound where it is cheap', () => {
    expect(() => checkRuleBudget(inList('has(self.a) || has(self.b)', fields))).not.toThrow();
  });

  it('is refused where it reads long texts in long lists, with the bounds that are missing', () => {
    expect(() => checkRuleBudget(inList('self == oldSelf', text()))).toThrow(
      /^list\[\]: the rule "self == oldSelf" could take \d+ times as long as the server allows; add .max\(\) to list, and to list\[\]$/,
    );
    expect(() => checkRuleBudget(inList("self.matches('^[a-z]+$')", text(), 64))).toThrow('add .max() to list[]');
    expect(() => checkRuleBudget(inList("self.matches('^[a-z]+$')", text(253), 64))).not.toThrow();
  });

  it('is refused where all of them together are too much', () => {
    const rule = inList("self.matches('^[a-z]{1,20}$')", text(1000), 1000).properties?.list ?? {};
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`list${index}`, rule]));
    expect(() => checkRuleBudget({ type: 'object', properties: many })).toThrow('times as long');
  });
});
