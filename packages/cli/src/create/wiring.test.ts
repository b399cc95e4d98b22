import { describe, expect, it } from 'vitest';
import { withController, withHook, withVersion } from './wiring.ts';

const operator = `import { operator } from '@kurator/sdk';

export const theOperator = operator({ name: 'web' });
`;
const controller = `import { type Operator } from '@kurator/sdk';
import { MyApp } from './resource.ts';

export function controlMyApp(operator: Operator): void {
  operator
    .controller(MyApp)
    .reconcile(() => {});
}
`;
const resource = `const spec = z.object({});
const status = z.object({});

export const MyApp = resource({
  version: 'v1alpha1',
  spec,
  status,
});
`;

describe('withController', () => {
  it('imports and calls it, once', () => {
    const wired = withController(operator, 'src/operator.ts', 'MyApp', './myapp/controller.ts');
    expect(wired).toBe(`import { operator } from '@kurator/sdk';
import { controlMyApp } from './myapp/controller.ts';

export const theOperator = operator({ name: 'web' });

controlMyApp(theOperator);
`);
    expect(withController(wired, 'src/operator.ts', 'MyApp', './myapp/controller.ts')).toBe(wired);
  });

  it('uses the name that the operator has now', () => {
    const renamed = operator.replace('theOperator', 'web');
    expect(withController(renamed, 'x', 'A', './a.ts')).toContain('controlA(web);');
  });

  it('comes after an import of several lines', () => {
    const long = operator.replace('{ operator }', '{\n  operator,\n}');
    expect(withController(long, 'x', 'A', './a.ts')).toContain(
      "} from '@kurator/sdk';\nimport { controlA } from './a.ts';",
    );
  });

  it('says what is missing where there is no operator', () => {
    expect(() => withController('', 'src/operator.ts', 'A', './a.ts')).toThrow("src/operator.ts can't be added to");
  });
});

describe('withHook', () => {
  it('adds both, once, in one import', () => {
    const one = withHook(controller, 'c.ts', 'MyApp', 'validate');
    const both = withHook(one, 'c.ts', 'MyApp', 'mutate');
    expect(both).toContain('.controller(MyApp)\n    .mutate(mutateMyApp)\n    .validate(validateMyApp)\n');
    expect(both).toContain("import { mutateMyApp, validateMyApp } from './webhooks.ts';");
    expect(withHook(both, 'c.ts', 'MyApp', 'validate')).toBe(both);
  });

  it('refuses a chain that it can not find', () => {
    expect(() => withHook('nothing', 'c.ts', 'MyApp', 'mutate')).toThrow('.controller(MyApp)');
  });
});

describe('withVersion', () => {
  it('adds versions one after another, each once', () => {
    const two = withVersion(resource, 'r.ts', 'MyApp', 'v1beta1');
    expect(two).toContain("}).withVersion('v1beta1', {");
    const three = withVersion(two, 'r.ts', 'MyApp', 'v1');
    expect(three.indexOf("'v1beta1'")).toBeLessThan(three.indexOf("'v1'"));
    expect(withVersion(three, 'r.ts', 'MyApp', 'v1beta1')).toBe(three);
  });

  it('leaves the version alone that the code works with', () => {
    expect(withVersion(resource, 'r.ts', 'MyApp', 'v1alpha1')).toBe(resource);
  });

  it('says what to write by hand where the schemas were moved', () => {
    expect(() => withVersion('export const MyApp = 1;', 'r.ts', 'MyApp', 'v1')).toThrow('const spec');
  });
});
