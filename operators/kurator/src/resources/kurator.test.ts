import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crdOf } from '@kurator/sdk';
import { describe, expect, it } from 'vitest';
import { Kurator } from './kurator.ts';

const page = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'explanation', 'healing.md');
/** Fields of Kubernetes, and of what a hook is sent. */
const others = new Set(['maxSurge', 'partition', 'phase', 'confirmed', 'before', 'after']);

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** All fields beneath: `recovery.steps.restart.tries`. */
function pathsIn({ properties = {}, items }: Schema): string[] {
  const beneath = items ? pathsIn(items) : [];
  const own = Object.entries(properties).flatMap(([name, field]) => [
    name,
    ...pathsIn(field).map((path) => `${name}.${path}`),
  ]);
  return [...beneath, ...own];
}

describe('a Kurator', () => {
  it('has every field that docs/explanation/healing.md names', async () => {
    const { openAPIV3Schema } = crdOf(Kurator).spec.versions[0]?.schema ?? {};
    const paths = pathsIn((openAPIV3Schema as Schema | undefined)?.properties?.spec ?? {});
    const text = (await readFile(page, 'utf8')).replaceAll(/```[\s\S]*?```/g, '');
    const named = [...text.matchAll(/`([a-z][a-zA-Z]*(?:\.[a-z][a-zA-Z]*)*)`/g)].map(([, name = '']) => name);
    const fields = [...new Set(named)].filter((name) => !name.endsWith('.ts') && !others.has(name));
    expect(fields).toEqual(expect.arrayContaining(['failAfter', 'recovery.patience', 'coordination.deadline']));
    expect(fields.filter((name) => !paths.some((path) => `.${path}`.endsWith(`.${name}`)))).toEqual([]);
  });
});
