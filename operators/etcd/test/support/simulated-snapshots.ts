/** Pods that handle snapshots, without snapshots: what each would say in the end, and what is in the storage then. */
import type { ContainerStatus, Pod } from '@kurator/sdk';
import { type Report, TASK, type Task } from '../../src/backups/task.ts';

type Known = NonNullable<Extract<Report, { ok: true }>['backup']>;

/** All storages together: keys are their own. */
export class SimulatedSnapshots {
  readonly #stored = new Map<string, { readonly known: Known; readonly spec: unknown }>();

  /** The status of a pod that has done its work: its last container has ended with a word, others beside it go on. */
  statusOf({ spec }: Pod): NonNullable<Pod['status']> {
    const containers = spec?.containers ?? [];
    const containerStatuses = containers.map((container, at): ContainerStatus => {
      const isLast = at === containers.length - 1;
      const task = container.env?.find(({ name }) => name === TASK)?.value ?? '{}';
      const time = new Date().toISOString();
      const ended = { exitCode: 0, reason: 'Completed', startedAt: time, finishedAt: time };
      const state = isLast
        ? { terminated: { ...ended, message: JSON.stringify(this.#reportOf(JSON.parse(task) as Task)) } }
        : { running: { startedAt: time } };
      return {
        name: container.name,
        image: container.image ?? '',
        imageID: '',
        ready: !isLast,
        restartCount: 0,
        state,
      };
    });
    return { phase: containers.length === 1 ? 'Succeeded' : 'Running', containerStatuses };
  }

  #reportOf(task: Task): Report {
    switch (task.do) {
      case 'take':
      case 'verify':
        return this.#take(task);
      case 'read':
      case 'check': {
        const found = this.#stored.get(task.key);
        if (!found) return { ok: false, refused: true, why: `there is no ${task.key}` };
        return { ok: true, backup: found.known, ...(task.do === 'read' ? { spec: found.spec } : {}) };
      }
      default:
        return { ok: true };
    }
  }

  /** A key is written once. */
  #take({ key, subject, remove, do: what }: Extract<Task, { do: 'take' | 'verify' }>): Report {
    if (this.#stored.has(key)) return { ok: false, why: `${key} is there already` };
    const takenAt = new Date().toISOString();
    const verified = what === 'verify' ? { verifiedAt: takenAt } : {};
    const facts = { revision: 1, hash: 7, size: 20_480, sha256: '0'.repeat(64), etcdVersion: '3.6.0' };
    const known = { key, takenAt, ...facts, ...verified };
    this.#stored.set(key, { known, spec: subject.cluster.spec });
    return { ok: true, backup: known, removed: remove.filter((old) => this.#stored.delete(old)) };
  }
}
