import { describe, expect, it } from 'vitest';
import { Undo } from './undo.ts';

describe('Undo', () => {
  it('undoes the newest first', async () => {
    const undone: string[] = [];
    const undo = new Undo();
    for (const step of ['network', 'machine', 'kubelet']) undo.add(async () => undone.push(step));
    await undo.all();
    expect(undone).toEqual(['kubelet', 'machine', 'network']);
  });

  it('goes on when a step fails, and says which', async () => {
    const undone: string[] = [];
    const undo = new Undo();
    undo.add(async () => undone.push('network'));
    undo.add(() => Promise.reject(new Error('busy')));
    expect(await undo.all()).toEqual([new Error('busy')]);
    expect(undone).toEqual(['network']);
  });

  it('undoes nothing twice', async () => {
    let count = 0;
    const undo = new Undo();
    undo.add(async () => count++);
    await undo.all();
    await undo.all();
    expect(count).toBe(1);
  });
});
