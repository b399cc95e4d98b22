import { describe, expect, it } from 'vitest';
import { checkImageConfig, type ImageConfig, ociConfig } from './image-config.ts';

const base = ociConfig(
  {
    name: 'base',
    entrypoint: ['/serve'],
    command: ['--port', '80'],
    env: { PATH: '/opt/bin', LEVEL: 'info' },
    user: '1000',
    workdir: '/srv',
    ports: [80],
    labels: { team: 'a' },
  },
  ['sha256:aa'],
);

describe('ociConfig', () => {
  it('keeps what the base image says where nothing else is told', () => {
    const { config, rootfs } = ociConfig({ name: 'web' }, ['sha256:bb'], base);
    expect(config).toEqual(base.config);
    expect(rootfs.diff_ids).toEqual(['sha256:aa', 'sha256:bb']);
  });

  it('adds variables, ports and labels to those of the base image', () => {
    const own: ImageConfig = {
      name: 'web',
      env: { LEVEL: 'debug', A: '1' },
      ports: [9090, 80],
      labels: { app: 'web' },
    };
    expect(ociConfig(own, [], base).config).toMatchObject({
      Env: ['PATH=/opt/bin', 'LEVEL=debug', 'A=1'],
      ExposedPorts: { '80/tcp': {}, '9090/tcp': {} },
      Labels: { app: 'web', team: 'a' },
    });
  });

  it('drops the arguments of the base image together with its program', () => {
    const { config } = ociConfig({ name: 'web', entrypoint: ['/other'] }, [], base);
    expect(config?.Entrypoint).toEqual(['/other']);
    expect(config).not.toHaveProperty('Cmd');
  });

  it('gives programs the usual PATH', () => {
    expect(ociConfig({ name: 'web' }, []).config?.Env).toEqual([expect.stringMatching(/^PATH=.*\/usr\/bin.*\/bin/)]);
  });

  it('does not depend on the order in which things were told', () => {
    const one = ociConfig({ name: 'w', env: { A: '1', B: '2' }, labels: { x: '1', y: '2' }, ports: [1, 2] }, []);
    const two = ociConfig({ name: 'w', env: { B: '2', A: '1' }, labels: { y: '2', x: '1' }, ports: [2, 1] }, []);
    expect(JSON.stringify(one)).toBe(JSON.stringify(two));
  });
});

describe('checkImageConfig', () => {
  it.each<[string, Omit<ImageConfig, 'name'>]>([
    ['entrypoint', { entrypoint: [] }],
    ['entrypoint', { entrypoint: [''] }],
    ['command', { command: ['a\0b'] }],
    ['command', { command: [1 as unknown as string] }],
    ['env', { env: { 'A=B': 'x' } }],
    ['env', { env: { '': 'x' } }],
    ['env.A', { env: { A: undefined as unknown as string } }],
    ['user', { user: 'a b' }],
    ['user', { user: '' }],
    ['workdir', { workdir: 'app' }],
    ['ports', { ports: [0] }],
    ['ports', { ports: [80.5] }],
  ])('names the field %s in what it refuses', (field, config) => {
    expect(() => checkImageConfig({ name: 'web', ...config })).toThrow(
      expect.objectContaining({
        code: 'KUR_TESTENV_IMAGE_CONFIG',
        message: expect.stringContaining(`\`${field}\``),
        remedy: expect.any(String),
      }),
    );
  });
});
