import { describe, expect, it } from 'vitest';
import { TestenvError } from '../error.ts';
import { type Ask, createFaults } from './faults.ts';

/** A supervisor that takes notes, and makes every request fault number 1. */
function supervisor(failure?: Error): { ask: Ask; asked: unknown[] } {
  const asked: unknown[] = [];
  const ask: Ask = async <T>(method: string, path: string, body?: unknown) => {
    asked.push([method, path, ...(body === undefined ? [] : [body])]);
    if (failure && method === 'DELETE') throw failure;
    return { id: '1', kind: 'freeze', request: body, description: 'does something', since: '' } as T;
  };
  return { ask, asked };
}

const web = { metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } }, spec: { containers: [] } };

describe('faults', () => {
  it('take a pod by name or as an object', async () => {
    const { ask, asked } = supervisor();
    await createFaults(ask).freeze({ pod: 'web', container: 'main' });
    await createFaults(ask).freeze({ pod: web, for: '1s' });
    expect(asked).toEqual([
      ['POST', 'faults', { kind: 'freeze', pod: 'web', container: 'main' }],
      ['POST', 'faults', { kind: 'freeze', pod: 'web', namespace: 'shop', for: '1s' }],
    ]);
  });

  it('take pods as objects at both ends of a network, alone or in lists', async () => {
    const { ask, asked } = supervisor();
    await createFaults(ask).drop({
      percent: 10,
      from: [web, { node: 'n1' }],
      to: web,
      except: { address: '10.0.0.1' },
    });
    const pod = { pod: 'web', namespace: 'shop' };
    expect(asked).toEqual([
      [
        'POST',
        'faults',
        { kind: 'drop', percent: 10, from: [pod, { node: 'n1' }], to: pod, except: { address: '10.0.0.1' } },
      ],
    ]);
  });

  it('heal by their handle, at the end of a block, by name, and all together', async () => {
    const { ask, asked } = supervisor();
    const faults = createFaults(ask);
    {
      await using fault = await faults.hang({ component: 'etcd' });
      await fault.heal();
    }
    await faults.heal('a/b');
    await faults.healAll();
    expect(asked.slice(1)).toEqual([
      ['DELETE', 'faults/1'],
      ['DELETE', 'faults/1'],
      ['DELETE', 'faults/a%2Fb'],
      ['DELETE', 'faults'],
    ]);
  });

  it('are healed once their cluster is gone', async () => {
    const { ask } = supervisor(new TestenvError('KUR_TESTENV_NOT_RUNNING', 'the cluster does not answer'));
    const fault = await createFaults(ask).unplug({ node: 'n1' });
    await fault.heal();
  });

  it('say so where healing fails', async () => {
    const { ask } = supervisor(new TestenvError('KUR_TESTENV_FAULT', 'busy'));
    const fault = await createFaults(ask).unplug({ node: 'n1' });
    await expect(fault.heal()).rejects.toThrow('busy');
  });
});
