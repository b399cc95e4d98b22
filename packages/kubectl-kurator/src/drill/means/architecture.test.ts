import type { Node } from '@kurator/client';
import { describe, expect, it } from 'vitest';
import { foreignTo } from './architecture.ts';

const node = (name: string, architecture: string, label = architecture) =>
  ({
    metadata: { name, labels: { 'kubernetes.io/arch': label } },
    status: { nodeInfo: { architecture } },
  }) as unknown as Node;

describe('a node that the tracer is not for', () => {
  it('is found by what its kubelet says, or by its label', () => {
    expect(foreignTo('amd64', [node('a', 'amd64'), node('b', 'arm64')])).toEqual({ name: 'b', architecture: 'arm64' });
    expect(foreignTo('amd64', [node('c', '', 'riscv64')])).toEqual({ name: 'c', architecture: 'riscv64' });
  });

  it('is none of the same architecture, nor one of which nobody has said', () => {
    expect(foreignTo('amd64', [node('a', 'amd64')])).toBeUndefined();
    expect(foreignTo('amd64', [{ metadata: { name: 'new' } } as Node])).toBeUndefined();
    expect(foreignTo('amd64', [])).toBeUndefined();
  });
});
