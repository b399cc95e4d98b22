/** What is examined, as far as it can be known without a cluster: the bundle, and what is shipped beside it. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubernetesObject } from '@kurator/client';
import { known } from '../generate/generate.ts';
import { bundleIn } from '../generate/olm-bundle.ts';
import { type Bundle, bundleOf, readBundle } from '../olm/bundle.ts';
import type { ClusterServiceVersion } from '../olm/cluster-service-version.ts';
import { readProject } from '../project/project.ts';
import { type Evidence, evidenceIn } from './evidence.ts';

/** An object of one of the operator's kinds. */
export interface Example extends KubernetesObject {
  spec?: Record<string, unknown>;
}

/** A file that is shipped with the operator. */
export interface ShippedFile {
  readonly path: string;
  readonly text: string;
}

export interface Subject {
  /** Of its Deployment. */
  readonly name: string;
  readonly bundle: Bundle;
  /** Undefined where the bundle has none: the test of the bundle says so. */
  readonly csv: ClusterServiceVersion | undefined;
  readonly examples: readonly Example[];
  /** What may be alert rules and dashboards. */
  readonly shipped: readonly ShippedFile[];
  readonly evidence: Evidence;
}

/** Where to look; what is not given is looked for in the project. */
export interface SubjectOptions {
  readonly bundle?: string;
  readonly monitoring?: string;
}

export async function readSubject(folder: string, options: SubjectOptions, signal: AbortSignal): Promise<Subject> {
  const bundle = options.bundle ? await readBundle(options.bundle) : await bundleOfProject(folder, signal);
  const [csv] = bundle.csvs;
  const monitoring = options.monitoring ? [options.monitoring] : [join(folder, 'deploy'), join(folder, 'monitoring')];
  const inBundle = bundle.objects.map(({ file, object }) => ({ path: file, text: JSON.stringify(object) }));
  return {
    name: csv?.spec?.install?.spec?.deployments?.[0]?.name ?? '',
    bundle,
    csv,
    examples: examplesIn(csv),
    shipped: [...inBundle, ...(await Promise.all(monitoring.map(filesBelow))).flat()],
    evidence: await evidenceIn(folder),
  };
}

/** The one that lies there; else as it would be made. */
async function bundleOfProject(folder: string, signal: AbortSignal): Promise<Bundle> {
  const made = join(folder, 'deploy', 'bundle');
  if (await stat(made).catch(() => undefined)) return await readBundle(made);
  const generator = bundleIn('.');
  const files = generator.files(await known(await readProject(folder), [generator], {}, signal));
  const below = files.map(({ path, text }) => ({ file: path.replace(/^\.\//, ''), text: text ?? '' }));
  const manifests = below.filter(({ file }) => file.startsWith('manifests/'));
  return bundleOf(manifests, below.find(({ file }) => file === 'metadata/annotations.yaml')?.text ?? '');
}

function examplesIn(csv: ClusterServiceVersion | undefined): Example[] {
  try {
    return JSON.parse(csv?.metadata.annotations?.['alm-examples'] ?? '[]') as Example[];
  } catch {
    // The test of the bundle says so.
    return [];
  }
}

async function filesBelow(folder: string): Promise<ShippedFile[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && /\.(ya?ml|json)$/.test(entry.name));
  return await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      return { path, text: await readFile(path, 'utf8') };
    }),
  );
}
