/** How the tests' operator works: each Echo keeps as many ConfigMaps as it wants in step with its message. */
import { ConfigMap } from '@kurator/client';
import { PermanentError, type ReconcileFunction } from '../../src/index.ts';
import type { Echo } from './echo.ts';

const childName = (echo: string, copy: number) => (copy === 0 ? echo : `${echo}-${copy}`);

/** Says in the status when it is done; the message `nonsense` is one that no later try can help. */
export const keepInStep: ReconcileFunction<Echo> = async ({ metadata, spec = {} }, { apply, applyAll }) => {
  const { message = '', copies = 1 } = spec;
  if (message === 'nonsense') throw new PermanentError('nobody can echo that', { reason: 'Nonsense' });
  for (let copy = 0; copy < copies; copy++) {
    await apply(ConfigMap, { metadata: { name: childName(metadata.name, copy) }, data: { message } });
  }
  await applyAll({});
  return { status: { ready: true } };
};

/** Whether the operator has done all that the object asks for now. */
export function isReady({ metadata, status }: Echo): boolean {
  return status?.ready === true && status.observedGeneration === metadata.generation;
}
