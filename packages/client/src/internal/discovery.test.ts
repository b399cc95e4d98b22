import { describe, expect, it } from 'vitest';
import { ClientError } from '../error.ts';
import { createDiscovery, type ReadPath } from './discovery.ts';

const widgets = { resource: 'widgets', responseKind: { kind: 'Widget' }, scope: 'Namespaced', verbs: ['get'] };
const aggregated = (...resources: object[]) => ({
  kind: 'APIGroupDiscoveryList',
  items: [{ metadata: { name: 'example.com' }, versions: [{ version: 'v1', resources }] }],
});

it('asks once for everything', async () => {
  const paths: string[] = [];
  const discovery = createDiscovery(async (path) => {
    paths.push(path);
    return aggregated({ ...widgets, shortNames: ['w'], subresources: [{ subresource: 'status' }] });
  });
  const [widget] = await Promise.all([
    discovery.find('example.com/v1', 'Widget'),
    discovery.find('example.com/v1', 'Widget'),
  ]);
  expect(widget).toEqual({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    plural: 'widgets',
    namespaced: true,
    verbs: ['get'],
    shortNames: ['w'],
    subresources: ['status'],
  });
  expect(paths).toEqual(['/apis']);
});

it('asks a server that can not do that for one group and version', async () => {
  const read: ReadPath = async (path) => {
    if (path === '/apis') return { kind: 'APIGroupList', groups: [] };
    expect(path).toBe('/apis/example.com/v1');
    return {
      kind: 'APIResourceList',
      resources: [
        { name: 'widgets', kind: 'Widget', namespaced: false, verbs: ['get'] },
        { name: 'widgets/scale', kind: 'Scale', namespaced: false, verbs: ['get'] },
      ],
    };
  };
  expect(await createDiscovery(read).find('example.com/v1', 'Widget')).toMatchObject({
    plural: 'widgets',
    namespaced: false,
    subresources: ['scale'],
  });
});

describe('a kind that is not there', () => {
  it('is looked for again, because it may have been installed', async () => {
    let now = 0;
    let answer = aggregated();
    const discovery = createDiscovery(
      async () => answer,
      () => now,
    );
    await expect(discovery.find('example.com/v1', 'Widget')).rejects.toThrow(/is its definition \(CRD\) installed/);
    answer = aggregated(widgets);
    now += 2_000;
    expect(await discovery.find('example.com/v1', 'Widget')).toMatchObject({ plural: 'widgets' });
  });

  it.each([
    ['in this version', 'example.com/v2', 'Widget', 'it has one in example.com/v1'],
    ['in this group', 'example.com/v1', 'Wigdet', 'there it has Widget'],
  ])('%s says what is', async (_, apiVersion, kind, hint) => {
    const discovery = createDiscovery(async () => aggregated(widgets));
    await expect(discovery.find(apiVersion, kind)).rejects.toMatchObject({
      code: 'KUR_CLIENT_UNKNOWN_KIND',
      message: `the server has no ${kind} in ${apiVersion}: ${hint}`,
    });
  });
});

it('does not remember a failure', async () => {
  let failing = true;
  const discovery = createDiscovery(async () => {
    if (failing) throw new ClientError('KUR_CLIENT_UNREACHABLE', 'no connection');
    return aggregated(widgets);
  });
  await expect(discovery.find('example.com/v1', 'Widget')).rejects.toThrow('no connection');
  failing = false;
  await discovery.find('example.com/v1', 'Widget');
});
