/** An operator's project and the options of a command line, as a description to make manifests of. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rulesWithout } from '@kurator/schema';
import { compileProject } from '../build/compile.ts';
import type { OperatorDescription } from '../manifests/description.ts';
import { rulesOf } from '../project/optional-roles.ts';
import { programFacts } from '../project/program-facts.ts';
import { readProject } from '../project/project.ts';

/** As commander gives them. */
export interface DescribeOptions {
  image?: string;
  namespace?: string;
  replicas?: number;
  watchNamespace?: string[];
  serviceMonitor?: boolean;
  networkPolicy?: boolean;
  referencePolicy?: boolean;
  role?: string[];
  withoutRole?: string[];
}

/** Runs as much of the program as it takes to know what it declares. */
export async function describeProject(
  folder: string,
  options: DescribeOptions,
  signal: AbortSignal,
): Promise<OperatorDescription> {
  const project = await readProject(folder);
  const extraRules = await rulesOf(project.folder, 'roles', options.role ?? []);
  const withheld = await rulesOf(project.folder, 'withheldRoles', options.withoutRole ?? []);
  const workshop = await mkdtemp(join(tmpdir(), 'kurator-deploy-'));
  try {
    const { main } = await compileProject(project, workshop);
    const facts = await programFacts(main, project.folder, signal);
    const more = extraRules.length > 0 ? { extraRules } : {};
    const permissions = {
      ...facts.permissions,
      namespaced: rulesWithout(facts.permissions.namespaced, withheld),
    };
    return { ...facts, permissions, image: project.image, version: project.version, ...more, ...given(options) };
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

function given(options: DescribeOptions) {
  const { image, namespace, replicas, watchNamespace, serviceMonitor, networkPolicy, referencePolicy } = options;
  return {
    ...(image ? { image } : {}),
    ...(namespace ? { namespace } : {}),
    ...(replicas === undefined ? {} : { replicas }),
    ...(watchNamespace ? { namespaces: watchNamespace } : {}),
    ...(serviceMonitor ? { serviceMonitor } : {}),
    ...(networkPolicy === false ? { networkPolicy } : {}),
    ...(referencePolicy === false ? { referencePolicy } : {}),
  };
}
