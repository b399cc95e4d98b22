/** An operator, made for the tour from its own sources: an image, and the manifests to run it by. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  compileProject,
  kindOf,
  operatorManifests,
  programFacts,
  readProject,
  untilEstablished,
} from '@kurator/cli/toolchain';
import type { Client, KubernetesObject } from '@kurator/client';
import type { ActionContext } from '@kurator/command';
import { type Cluster, type ImageArchive, imageFromNodeBundle } from '@kurator/testenv';
import type { Narrator } from './narrator.ts';

/** What is loaded, and what is applied. */
export interface OperatorParts {
  readonly image: ImageArchive;
  /** The same that `kurator deploy` applies. */
  readonly manifests: readonly KubernetesObject[];
}

/** One replica: there is nobody on the tour who could miss the second. */
const REPLICAS = 1;

const fieldManager = 'kurator-tour';
/** For whatever waits: a machine that does ten other things is no reason to fail. */
export const PATIENCE = 150_000;

/** @param folder The operator's project. */
export async function operatorParts(
  folder: string,
  { reporter, signal }: Pick<ActionContext, 'reporter' | 'signal'>,
): Promise<OperatorParts> {
  const project = await readProject(folder);
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

export async function loadImages(
  cluster: Cluster,
  images: readonly ImageArchive[],
  { reporter }: Narrator,
): Promise<void> {
  const task = 'Loading images into the nodes';
  for (const [index, { name, path }] of images.entries()) {
    reporter.progress(task, index / images.length, name);
    await cluster.load(path);
  }
  reporter.progress(task, 1);
}

/** Kinds are served a moment after they are made: what needs them waits for that. */
export async function applyAll(
  client: Client,
  manifests: readonly KubernetesObject[],
  signal: AbortSignal,
): Promise<void> {
  const isKind = ({ kind }: KubernetesObject) => kind === 'CustomResourceDefinition';
  const kinds = manifests.filter(isKind);
  for (const object of kinds) await applyOne(client, object, signal);
  await untilEstablished(client, kinds, signal);
  for (const object of manifests.filter((one) => !isKind(one))) await applyOne(client, object, signal);
}

async function applyOne(client: Client, object: KubernetesObject, signal: AbortSignal): Promise<void> {
  const type = await kindOf(client, object, { signal, patience: PATIENCE });
  await client.apply(type, object, { fieldManager, signal });
}
