import { describe, expect, it } from 'vitest';
import { goldenText } from '../../test/golden-text.ts';
import { projectFiles } from './project-files.ts';

const source = { sdk: '^0.1.0', cli: '^0.1.0', testenv: '^0.1.0' };

describe('the files of a new project', () => {
  it('are those of the golden file', async () => {
    const files = await projectFiles({ name: 'web-operator', domain: 'example.com', source });
    await expect(goldenText(files)).toMatchFileSnapshot('../../test/golden/init.txt');
  });

  it('take packed packages from where they are, those that nobody names too', async () => {
    const overrides = { '@kurator/sdk': 'file:/x/sdk.tgz', '@kurator/client': 'file:/x/client.tgz' };
    const files = await projectFiles({
      name: 'a',
      domain: 'b.c',
      source: { ...source, sdk: 'file:/x/sdk.tgz', overrides },
    });
    const json = JSON.parse(files.find(({ path }) => path === 'package.json')?.text ?? '');
    expect(json).toMatchObject({
      dependencies: { '@kurator/sdk': 'file:/x/sdk.tgz' },
      overrides: { '@kurator/client': 'file:/x/client.tgz' },
    });
    expect(json.overrides).not.toHaveProperty('@kurator/sdk');
  });
});
