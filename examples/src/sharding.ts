/**
 * Sharding: replicas share the objects instead of waiting for a leader to fall. Start it as often as you like; each Task
 * is worked on by one of them at a time, and when one dies the others take over what was its own.
 */
import { hostname } from 'node:os';
import { operator, resource, z } from '@kurator/sdk';

export const Task = resource({
  group: 'examples.kurator.sh',
  version: 'v1',
  kind: 'Task',
  spec: z.object({ text: z.string() }),
  status: z.object({ doneBy: z.string() }),
  columns: { By: '.status.doneBy' },
});

export const example = (identity = hostname()) =>
  operator({ name: 'tasks', sharding: { identity } })
    .controller(Task)
    .reconcile(() => ({ status: { doneBy: identity } }));
