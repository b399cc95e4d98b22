import type { CustomResourceDefinition, JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import fc from 'fast-check';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { resourceFromCrd, typesFromCrd } from '../index.ts';

/** What would be something else than a name or a text if it were written down as it is. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '*/ process.exit(1) /*',
    "'; process.exit(1); '",
    '"; process.exit(1); "',
    '\\',
    "\\'",
    '\\"',
    '`$' + '{process.exit(1)}`',
    '\n}\nprocess.exit(1)\n',
    '\u2028process.exit(1)',
    '../../../etc/cron.d/x',
    '__proto__',
    'constructor',
    '\0',
  ),
);
const anything = fc.oneof(hostile, fc.integer(), fc.boolean(), fc.constant(null));

/** @param depth How many schemas may be inside each other. */
function schemaOf(depth: number): fc.Arbitrary<JSONSchemaProps> {
  const inside =
    depth === 0
      ? {}
      : {
          properties: fc.dictionary(hostile, schemaOf(depth - 1), { maxKeys: 3 }),
          additionalProperties: schemaOf(depth - 1),
          items: schemaOf(depth - 1),
        };
  const fields = {
    type: fc.oneof(fc.constantFrom('string', 'object', 'array', 'integer'), hostile),
    description: hostile,
    default: anything,
    enum: fc.array(anything, { minLength: 1, maxLength: 3 }),
    required: fc.array(hostile, { maxLength: 2 }),
    nullable: fc.boolean(),
    'x-kubernetes-preserve-unknown-fields': fc.constant(true),
    ...inside,
  };
  return fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<JSONSchemaProps>;
}

interface Names {
  readonly name: string;
  readonly kind: string;
  readonly plural: string;
  readonly group: string;
  readonly version: string;
}
const good: Names = { name: 'apps.example.org', kind: 'my-App', plural: 'apps', group: 'example.org', version: 'v1' };

function crdOf({ name, kind, plural, group, version }: Names, schema: JSONSchemaProps): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: {
      group,
      names: { kind, plural },
      scope: 'Namespaced',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: schema } } },
        },
      ],
    },
  };
}

/** The kinds of statement in a source, without repetitions; syntax errors are told first. */
function statementsOf(source: string): string[] {
  const { diagnostics = [] } = ts.transpileModule(source, { reportDiagnostics: true });
  expect(diagnostics.map(({ messageText }) => messageText)).toEqual([]);
  const file = ts.createSourceFile('types.ts', source, ts.ScriptTarget.Latest);
  return [...new Set(file.statements.map(({ kind }) => ts.SyntaxKind[kind]))];
}

describe('a definition whose author means harm', () => {
  it('becomes types and nothing else, whatever its fields, descriptions, values and defaults are', () => {
    fc.assert(
      fc.property(schemaOf(2), (spec) => {
        const source = typesFromCrd(crdOf(good, spec));
        const rest = statementsOf(source).filter(
          (each) => each !== 'ImportDeclaration' && each !== 'InterfaceDeclaration',
        );
        expect(rest).toEqual(['FirstStatement']);
        // What is run of it: one call.
        const code = ts.transpileModule(source, {
          compilerOptions: { target: ts.ScriptTarget.Latest, removeComments: true },
        });
        expect(code.outputText.trim().split('\n')).toEqual([
          "import { resourceType } from '@kurator/client';",
          "export const MyApp = resourceType('example.org/v1', 'my-App', { plural: 'apps' });",
        ]);
      }),
    );
  });

  it('is refused if its names are none', () => {
    const field = fc.constantFrom(...(Object.keys(good) as (keyof Names)[]));
    fc.assert(
      fc.property(field, hostile, (what, value) => {
        fc.pre(!/^[A-Za-z0-9.-]+$/.test(value));
        const crd = crdOf({ ...good, [what]: value }, {});
        for (const make of [typesFromCrd, resourceFromCrd]) {
          expect(() => make(crd)).toThrow(expect.objectContaining({ code: 'KUR_SCHEMA_NAME' }));
        }
      }),
    );
  });
});
