/** Kurator itself, made for the tour from its own sources: an image, and the manifests to run it by. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileProject, operatorManifests, programFacts, readProject } from '@kurator/cli/toolchain';
import type { KubernetesObject } from '@kurator/client';
import type { ActionContext } from '@kurator/command';
import { healerFolder } from '@kurator/kubectl-kurator';
import { type ImageArchive, imageFromNodeBundle } from '@kurator/testenv';

/** What is loaded, and what is applied. */
export interface HealerParts {
  readonly image: ImageArchive;
  /** The same that `kurator deploy` applies. */
  readonly manifests: readonly KubernetesObject[];
}

/** One replica: there is nobody on the tour who could miss the second. */
const REPLICAS = 1;

export async function healerParts({
  reporter,
  signal,
}: Pick<ActionContext, 'reporter' | 'signal'>): Promise<HealerParts> {
  const project = await readProject(healerFolder());
  const workshop = await mkdtemp(join(tmpdir(), 'kurator-tour-'));
  try {
    const { main } = await compileProject(project, workshop);
    const [facts, image] = await Promise.all([
      programFacts(main, project.folder, signal),
      imageFromNodeBundle(workshop, { name: project.image }, { entry: 'main.js', reporter, signal }),
    ]);
    const description = { ...facts, image: project.image, version: project.version, replicas: REPLICAS };
    return { image, manifests: operatorManifests(description) };
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}
