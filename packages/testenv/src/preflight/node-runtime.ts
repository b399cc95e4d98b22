/** containerd, runc and the CNI plugins: the machine's own, or else obtained as the programs of Kubernetes are. */
import { dirname, join } from 'node:path';
import { lookIntoFolder } from '../binaries/named-folder.ts';
import { cniPlugins, containerdPrograms, type RuntimeProgram, runtimePrograms } from '../binaries/program.ts';
import { resolveBinaries } from '../binaries/resolve.ts';
import type { SourceName } from '../binaries/source.ts';
import { messageOf, TestenvError } from '../error.ts';
import type { Reporter } from '../reporter.ts';
import { findTools, type ToolFacts } from './tools.ts';

/** Where to look, and who wants to hear about it. */
export interface RuntimeOptions {
  /** A folder that comes before the machine's own. */
  readonly binaries?: string | undefined;
  readonly reporter: Reporter;
  readonly signal?: AbortSignal;
}

const VARIABLE = 'KURATOR_NODE_RUNTIME';

/** Each comes from one place as a whole. */
const parts: readonly (readonly RuntimeProgram[])[] = [containerdPrograms, ['runc'], cniPlugins];

/**
 * The machine's programs, with what was named in a folder in their place. With `KURATOR_NODE_RUNTIME=fetched` the
 * machine's containerd, runc and CNI plugins are as if they were not there.
 */
export async function ownTools({ binaries, signal }: RuntimeOptions): Promise<ToolFacts> {
  const found = await findTools();
  const own = isFetched(process.env) ? withoutRuntime(found) : found;
  const folder = binaries ?? process.env.KUBEBUILDER_ASSETS;
  if (!folder) return own;
  const { path, missing } = await lookIntoFolder(folder, 'the folder option', runtimePrograms, signal);
  const whole = parts.filter((part) => !part.some((program) => missing.includes(program)));
  return withPrograms(own, new Map(whole.flat().map((program) => [program, join(path, program)])));
}

/** Gets what is missing from `sources`, as far as KURATOR_BINARY_SOURCES has them; what they lack is still missing then. */
export async function obtainRuntime(
  tools: ToolFacts,
  sources: readonly SourceName[],
  { reporter, signal }: RuntimeOptions,
): Promise<ToolFacts> {
  const allowed = process.env.KURATOR_BINARY_SOURCES?.split(',').map((name) => name.trim());
  const order = sources.filter((name) => !allowed || allowed.includes(name)).join(',');
  if (!order) return tools;
  const found = new Map<RuntimeProgram, string>();
  for (const part of parts.filter((programs) => !hasAll(tools, programs))) {
    const env = { ...process.env, KUBEBUILDER_ASSETS: '', KURATOR_BINARY_SOURCES: order };
    const request = { programs: part, env, reporter, ...(signal ? { signal } : {}) };
    const obtained = await resolveBinaries(request).catch((error: unknown) => {
      signal?.throwIfAborted();
      if (order !== 'cache') reporter.info(messageOf(error));
    });
    if (obtained) for (const program of part) found.set(program, obtained.path(program));
  }
  return withPrograms(tools, found);
}

function hasAll({ programs, cniFolder }: ToolFacts, part: readonly RuntimeProgram[]): boolean {
  return part === cniPlugins ? cniFolder !== undefined : part.every((program) => programs[program] !== undefined);
}

function withPrograms(tools: ToolFacts, found: ReadonlyMap<RuntimeProgram, string>): ToolFacts {
  const plugin = found.get(cniPlugins[0]);
  return {
    ...tools,
    programs: { ...tools.programs, ...Object.fromEntries(found) },
    ...(plugin ? { cniFolder: dirname(plugin), missingPlugins: [] } : {}),
  };
}

function withoutRuntime({ programs }: ToolFacts): ToolFacts {
  const others = Object.entries(programs).filter(([program]) => !runtimePrograms.some((own) => own === program));
  return { programs: Object.fromEntries(others), missingPlugins: cniPlugins };
}

/** Whether the machine's own are to be left alone. */
export function isFetched(env: NodeJS.ProcessEnv): boolean {
  const wanted = env[VARIABLE] || 'machine';
  if (wanted === 'machine' || wanted === 'fetched') return wanted === 'fetched';
  throw new TestenvError('KUR_TESTENV_BAD_SETTING', `${VARIABLE} is "${wanted}".`, {
    remedy: 'Set it to machine or fetched, or leave it out.',
  });
}
