import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fieldPage, fieldPageText } from './stages/field-page.mjs';

it('the page of the CRDs’ fields is up to date: else run `npm run field-reference`', () => {
  expect(readFileSync(fieldPage, 'utf8')).toBe(fieldPageText());
});

it('has every CRD, what must be given, defaults, limits and rules', () => {
  const text = fieldPageText();
  for (const kind of ['Kurator', 'Incident', 'AlertChannel', 'KuratorSwitch']) expect(text).toContain(`\n## ${kind}\n`);
  expect(text).toContain('| `spec.mode` * | `Off`, `Observe`, `On` |');
  expect(text).toContain('| `spec.checks[].period` | string');
  expect(text).toContain('`"10s"`');
  expect(text).toMatch(/`spec.checks\[\].failAfter` \| integer, 1 to 100 \| `3`/);
  expect(text).toContain('Rule: give exactly one of tcp, http, grpc and exec.');
});
