/**
 * What a cluster was asked to be: written into its folder by whoever makes it, read by
 * its supervisor, and read again by everyone who wants to know what runs there.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Program } from '../binaries/program.ts';
import { stateFolder } from '../folders.ts';

/** A cluster as it was asked for and made. */
export interface ClusterConfig {
  readonly name: string;
  /** Eight hexadecimal digits that no other cluster has, also none of the same name in another state folder. */
  readonly id: string;
  readonly version: string;
  /** The nodes' Kubernetes, where it differs from the control plane's. */
  readonly nodeVersion: string;
  /** 0: a control plane alone, without root and without machines. */
  readonly nodes: number;
  readonly controllers: boolean;
  readonly audit: boolean;
  readonly fastFailureDetection: boolean;
  /** Whether nodes have only images that were given to them: nothing is pulled from elsewhere. */
  readonly closed: boolean;
  readonly port?: number;
  readonly apiServerArguments?: readonly string[];
  readonly programs: Readonly<Partial<Record<Program, string>>>;
  readonly nodePrograms: Readonly<Record<string, string>>;
  readonly cniPlugins: string;
  /** Archives that every node has from the start. */
  readonly images: readonly string[];
  readonly createdAt: string;
}

/** The files of a cluster's folder that others than its supervisor read. */
export interface ClusterFiles {
  readonly folder: string;
  readonly config: string;
  readonly kubeconfig: string;
  readonly logs: string;
  readonly socket: string;
  /** Says which process holds the cluster: whether it lives is whether that process does. */
  readonly owner: string;
}

export function clustersFolder(): string {
  return stateFolder('clusters');
}

export function clusterFiles(folder: string): ClusterFiles {
  return {
    folder,
    config: join(folder, 'cluster.json'),
    kubeconfig: join(folder, 'kubeconfig'),
    logs: join(folder, 'logs'),
    socket: join(folder, 'control.sock'),
    owner: join(folder, 'owner'),
  };
}

export async function writeConfig(folder: string, config: ClusterConfig): Promise<void> {
  await writeFile(clusterFiles(folder).config, `${JSON.stringify(config, undefined, 2)}\n`);
}

export async function readConfig(folder: string): Promise<ClusterConfig> {
  return JSON.parse(await readFile(clusterFiles(folder).config, 'utf8')) as ClusterConfig;
}
