/** What runs on the tour of etcd, made before there is a place to run it: the operator, and etcd in two versions. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ActionContext } from '@kurator/command';
import { etcdImage, type ImageArchive } from '@kurator/testenv';
import { type OperatorParts, operatorParts } from '../operator-parts.ts';

export interface EtcdParts {
  readonly operator: OperatorParts;
  readonly images: readonly ImageArchive[];
}

export const REPOSITORY = 'quay.io/coreos/etcd';
/** From one to the other it is upgraded. */
export const VERSION = '3.6.16';
export const NEXT_VERSION = '3.7.3';

export async function etcdParts(context: Pick<ActionContext, 'reporter' | 'signal'>): Promise<EtcdParts> {
  const task = 'Building images';
  context.reporter.progress(task, undefined);
  try {
    const operator = operatorParts(operatorFolder(), context);
    operator.catch(() => {});
    const images: ImageArchive[] = [];
    // One after the other: where they must be built, that takes the whole machine.
    for (const version of [VERSION, NEXT_VERSION]) {
      images.push(await etcdImage({ ...context, version, name: `${REPOSITORY}:v${version}` }));
    }
    return { operator: await operator, images };
  } finally {
    context.reporter.progress(task, 1);
  }
}

function operatorFolder(): string {
  return dirname(fileURLToPath(import.meta.resolve('@kurator/operator-etcd/package.json')));
}
