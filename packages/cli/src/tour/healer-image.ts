/** Kurator itself, made for the tour from its own sources: an image, and the manifests to run it by. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubernetesObject } from '@kurator/client';
import { type ImageArchive, imageFromNodeBundle } from '@kurator/testenv';
import type { ActionContext } from '../action.ts';
import { bundleProject } from '../build/bundle.ts';
import { operatorManifests } from '../manifests/operator-manifests.ts';
import { healerFolder } from '../project/healer-folder.ts';
import { programFacts } from '../project/program-facts.ts';
import { readProject } from '../project/project.ts';

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
    const { main } = await bundleProject(project, workshop);
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
