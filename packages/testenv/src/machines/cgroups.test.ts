import { describe, expect, it } from 'vitest';
import { parseHierarchies } from './cgroups.ts';

describe('parseHierarchies', () => {
  it('finds every hierarchy of a version 1 or hybrid machine', () => {
    const mountinfo = `25 1 254:0 / / rw,relatime - ext4 /dev/vda rw
31 30 0:27 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755
32 31 0:28 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
33 31 0:29 / /sys/fs/cgroup/cpuset rw,relatime shared:9 - cgroup cgroup rw,cpuset
34 31 0:36 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd
35 31 0:37 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
`;
    expect(parseHierarchies(mountinfo)).toEqual([
      { version: 1, mount: '/sys/fs/cgroup/cpu', controllers: ['cpu'] },
      { version: 1, mount: '/sys/fs/cgroup/cpuset', controllers: ['cpuset'] },
      { version: 1, mount: '/sys/fs/cgroup/systemd', controllers: ['name=systemd'] },
      { version: 2, mount: '/sys/fs/cgroup/unified', controllers: [] },
    ]);
  });

  it('finds the one of a version 2 machine', () => {
    const mountinfo = '30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n';
    expect(parseHierarchies(mountinfo)).toMatchObject([{ version: 2, mount: '/sys/fs/cgroup' }]);
  });
});
