import { describe, expect, it } from 'vitest';
import { isWithin, mountAt, parseMounts, pathOf } from './mounts.ts';

const host = parseMounts(`21 1 254:0 / / rw,relatime - ext4 /dev/vda rw
22 21 0:20 / /run rw - tmpfs tmpfs rw
23 21 254:16 /sub /mnt/with\\040space rw - ext4 /dev/vdb rw
`);

const container = parseMounts(`448 446 0:110 / / rw - overlay overlay rw
477 448 254:0 /state/n1/disk/data /data rw,relatime - ext4 /dev/vda rw
478 448 0:79 / /mem rw,relatime - tmpfs tmpfs rw
479 448 254:16 /sub/deep /deep rw - ext4 /dev/vdb rw
480 448 0:80 / /mem rw,relatime - tmpfs tmpfs rw
`);

const at = (path: string) => mountAt(container, path) ?? { device: '', root: '', path: '' };

describe('a mounted folder', () => {
  it('is found on the host by its file system, whatever it is called in the container', () => {
    expect(pathOf(at('/data'), host)).toBe('/state/n1/disk/data');
    expect(pathOf(at('/deep'), host)).toBe('/mnt/with space/deep');
  });

  it('is nowhere on the host if its file system is not mounted there', () => {
    expect(pathOf(at('/mem'), host)).toBeUndefined();
  });

  it('is the one mounted last, where several are', () => {
    expect(at('/mem').device).toBe('0:80');
  });

  it('is itself where the other mount is the same', () => {
    expect(pathOf({ device: '0:20', root: '/', path: '/elsewhere' }, host)).toBe('/run');
    expect(pathOf({ device: '254:0', root: '/', path: '/elsewhere' }, host)).toBe('/');
  });
});

describe('a path', () => {
  it.each([
    ['/a/b', '/a', true],
    ['/a', '/a', true],
    ['/ab', '/a', false],
    ['/', '/a', false],
    ['/a', '/', true],
  ])('%s is within %s: %s', (path, folder, expected) => expect(isWithin(path, folder)).toBe(expected));
});
