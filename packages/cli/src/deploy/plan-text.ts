/** A plan in words. Pure. */
import { fieldChangeText } from '@kurator/runtime';
import type { Step } from './steps.ts';

const marks = { create: '+', change: '~', keep: '=', remove: '-' } as const;

export function titleOf({ object: { kind, metadata } }: Pick<Step, 'object'>): string {
  return `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name}`;
}

/** What would be done, object by object and field by field. New objects are named only: their manifests can be had whole. */
export function planText(steps: readonly Step[]): string {
  const lines = steps.filter(({ action }) => action !== 'keep').flatMap(stepLines);
  const count = (action: Step['action']) => steps.filter((step) => step.action === action).length;
  const counts = `${count('create')} to create, ${count('change')} to change, ${count('remove')} to remove`;
  const sum = `${counts}, ${count('keep')} as they are; nothing was written`;
  return [...lines, sum].join('\n');
}

function stepLines(step: Step): string[] {
  const { action, changes, findings } = step;
  const fields = action === 'change' ? changes.map((change) => `    ${fieldChangeText(change)}`) : [];
  return [
    `${marks[action]} ${titleOf(step)}`,
    ...fields,
    ...findings.map(({ severity, path, reason }) => `    ! ${severity}: ${path}: ${reason}`),
  ];
}

/** What would harm stored objects or their users, with what to do about it. */
export function harmsIn(steps: readonly Step[]): { text: string; remedy: string }[] {
  return steps.flatMap((step) =>
    step.findings
      .filter(({ severity }) => severity === 'breaking')
      .map(({ path, reason, remedy }) => ({ text: `${titleOf(step)}: ${path}: ${reason}`, remedy })),
  );
}
