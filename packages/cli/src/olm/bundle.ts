/** A bundle as it lies in a folder: read as far as it can be, so that all that is wrong with it can be told at once. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubernetesObject } from '@kurator/client';
import type { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { CliError } from '@kurator/command';
import { firstLine, yamlDocuments } from '../files/yaml-documents.ts';
import type { ClusterServiceVersion } from './cluster-service-version.ts';
import type { Finding } from './finding.ts';
import { annotationsShape, fitted } from './shape.ts';

/** One object of a file. */
export interface BundleObject {
  readonly file: string;
  readonly object: KubernetesObject;
}

export interface Bundle {
  readonly annotations: Readonly<Record<string, string>>;
  readonly objects: readonly BundleObject[];
  readonly csvs: readonly ClusterServiceVersion[];
  readonly crds: readonly CustomResourceDefinition[];
  /** Bytes of all manifests. */
  readonly size: number;
  /** What could not be read. */
  readonly unreadable: readonly Finding[];
}

const ANNOTATIONS = 'metadata/annotations.yaml';

/** @param folder With the folders `manifests` and `metadata`. */
export async function readBundle(folder: string): Promise<Bundle> {
  const manifests = join(folder, 'manifests');
  const names = await readdir(manifests).catch(() => undefined);
  if (!names) {
    throw new CliError('KUR_CLI_BUNDLE', `${folder} is no bundle: it has no folder manifests`, {
      remedy: 'make one with kurator bundle, or name the folder in which it is',
    });
  }
  const files = await Promise.all(
    names
      .filter((name) => /\.(ya?ml|json)$/.test(name))
      .toSorted()
      .map(async (name) => ({ file: `manifests/${name}`, text: await readFile(join(manifests, name), 'utf8') })),
  );
  const metadata = await readFile(join(folder, ANNOTATIONS), 'utf8').catch(() => '');
  return bundleOf(files, metadata);
}

/** One that lies in no folder yet. */
export function bundleOf(files: readonly { file: string; text: string }[], metadata: string): Bundle {
  const unreadable: Finding[] = [];
  const objects = files.flatMap(({ file, text }) =>
    documents(file, text, unreadable).map((object) => ({ file, object: object as KubernetesObject })),
  );
  const [described] = documents(ANNOTATIONS, metadata, unreadable);
  const { value, findings } = fitted<{ annotations: Record<string, string> }>(described, annotationsShape);
  unreadable.push(...findings.map((finding) => ({ ...finding, at: `${ANNOTATIONS}: ${finding.at}` })));
  const ofKind = (kind: string) => objects.map(({ object }) => object).filter((object) => object.kind === kind);
  return {
    annotations: (value.annotations ?? {}) as Record<string, string>,
    objects,
    csvs: ofKind('ClusterServiceVersion') as ClusterServiceVersion[],
    crds: ofKind('CustomResourceDefinition') as CustomResourceDefinition[],
    size: files.reduce((sum, { text }) => sum + text.length, 0),
    unreadable,
  };
}

function documents(file: string, text: string, unreadable: Finding[]): unknown[] {
  return yamlDocuments(text).flatMap(({ value, problem }) => {
    const isObject = typeof value === 'object' && value !== null;
    if (isObject && (file === ANNOTATIONS || isKubernetes(value))) return [value];
    if (value === null) return [];
    const message =
      problem === undefined ? 'holds something that is no Kubernetes object' : `is no YAML: ${firstLine(problem)}`;
    unreadable.push({ severity: 'error', at: file, message, remedy: 'mend or remove it' });
    return [];
  });
}

function isKubernetes(value: object): boolean {
  const { apiVersion, kind, metadata } = value as Partial<KubernetesObject>;
  return typeof apiVersion === 'string' && typeof kind === 'string' && typeof metadata?.name === 'string';
}
