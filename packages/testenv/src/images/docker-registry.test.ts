import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { dockerRegistry, registryHosts } from './docker-registry.ts';

describe('dockerRegistry', () => {
  it('serves the folder on the address', () => {
    const { config, command, healthUrl } = dockerRegistry({ address: '10.96.0.3:5000', folder: '/var/lib/images' });
    expect(parse(config)).toMatchObject({
      storage: { filesystem: { rootdirectory: '/var/lib/images' } },
      http: { addr: '10.96.0.3:5000' },
    });
    expect(command('/etc/registry.yml')).toEqual(['docker-registry', 'serve', '/etc/registry.yml']);
    expect(healthUrl).toBe('http://10.96.0.3:5000/v2/');
  });

  it.each(['10.96.0.3', ':5000', 'a b:5000', '10.96.0.3:0', '10.96.0.3:70000'])(
    'refuses the address "%s"',
    (address) => {
      expect(() => dockerRegistry({ address, folder: '/x' })).toThrow(/is not an address/);
      expect(() => registryHosts(address)).toThrow(/is not an address/);
    },
  );

  it('refuses a relative folder', () => {
    expect(() => dockerRegistry({ address: '10.96.0.3:5000', folder: 'images' })).toThrow('`folder`');
  });
});
