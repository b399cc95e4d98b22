/**
 * What nodes need from the kernel, each with a command that uses it. All are tried in one go, in namespaces that go
 * with the trial: nothing of the machine is changed, and a missing feature is known by its name.
 */
import { run } from '../internal/run.ts';
import type { Purpose } from './check.ts';

/** Something that a kernel may lack. */
export interface KernelFeature {
  readonly id: string;
  readonly title: string;
  readonly neededFor: Purpose;
  /** What is not there without it; undefined where its purpose can't do without it. */
  readonly optional?: string;
  /** Programs that the trial itself needs. */
  readonly with: readonly string[];
  /** Shell; the working folder is an empty one on the disk that clusters live on. */
  readonly trial: string;
  readonly remedy: string;
}

function packetRule(id: string, rule: string, module: string, rest: Partial<KernelFeature> = {}): KernelFeature {
  return {
    id: `iptables-${id}`,
    title: `iptables: ${id}`,
    neededFor: 'nodes',
    with: ['iptables'],
    trial: `iptables -w ${rule}`,
    remedy: `modprobe ${module}`,
    ...rest,
  };
}

export const kernelFeatures: readonly KernelFeature[] = [
  {
    id: 'overlay',
    title: 'overlay file system on the disk of the state folder',
    neededFor: 'nodes',
    with: ['mount'],
    trial:
      'mkdir lower upper work merged && mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work merged',
    remedy:
      'modprobe overlay; if the disk itself is an overlay (in a container), set XDG_STATE_HOME to a folder on another disk',
  },
  {
    id: 'veth',
    title: 'virtual cables (veth)',
    neededFor: 'nodes',
    with: ['ip'],
    trial: 'ip link add left type veth peer name right',
    remedy: 'modprobe veth',
  },
  {
    id: 'bridge',
    title: 'network bridges',
    neededFor: 'nodes',
    with: ['ip'],
    trial: 'ip link add middle type bridge',
    remedy: 'modprobe bridge',
  },
  packetRule('comment', '-A INPUT -m comment --comment trial -j ACCEPT', 'xt_comment'),
  packetRule('conntrack', '-A INPUT -m conntrack --ctstate INVALID -j DROP', 'xt_conntrack'),
  packetRule('statistic', '-A INPUT -m statistic --mode random --probability 0.5 -j DROP', 'xt_statistic'),
  packetRule('addrtype', '-A INPUT -m addrtype --dst-type LOCAL -j ACCEPT', 'xt_addrtype'),
  packetRule('MARK', '-A INPUT -j MARK --set-xmark 0x4000/0x4000', 'xt_mark'),
  packetRule('REJECT', '-A INPUT -p tcp -j REJECT --reject-with tcp-reset', 'ipt_REJECT'),
  packetRule('DNAT', '-t nat -A PREROUTING -p tcp -j DNAT --to-destination 192.0.2.1:80', 'xt_nat'),
  packetRule('MASQUERADE', '-t nat -A POSTROUTING -j MASQUERADE', 'xt_MASQUERADE'),
  packetRule('REDIRECT', '-t nat -A PREROUTING -p tcp -j REDIRECT --to-ports 80', 'xt_REDIRECT', {
    neededFor: 'faults',
    optional: 'delayed connections',
  }),
  packetRule('recent', '-A INPUT -m recent --name trial --set', 'xt_recent', {
    optional: 'Services with session affinity',
  }),
  {
    id: 'loop',
    title: 'loop devices with ext4',
    neededFor: 'nodes',
    optional: 'volumes with a size limit',
    with: ['mount', 'mkfs.ext4'],
    trial: 'truncate -s 2M disk && mkfs.ext4 -q disk && mkdir volume && mount -o loop disk volume && umount volume',
    remedy: 'modprobe loop ext4; in a container, allow it the devices /dev/loop-control and /dev/loop*',
  },
  {
    id: 'netem',
    title: 'network emulation (netem)',
    neededFor: 'faults',
    optional: 'delays and jitter for whole links (loss, cuts and slow connections work without)',
    with: ['tc'],
    trial: 'tc qdisc add dev lo root netem delay 1ms',
    remedy: 'modprobe sch_netem',
  },
];

/** By a feature's id: undefined if it works, otherwise what went wrong. Features that were not tried are not in it. */
export type Trials = ReadonlyMap<string, string | undefined>;

/** The kinds of namespaces that machines of a cluster are made of. */
export const namespaceKinds = ['net', 'pid', 'mount', 'uts', 'ipc'] as const;

/** What a kernel was seen to do. */
export interface KernelTrials {
  /** By kind of namespace. */
  readonly namespaces: Trials;
  /** By feature; nothing can be tried without namespaces to try it in. */
  readonly features: Trials;
}

/**
 * Tries namespaces, and features inside them; features whose trial needs a program that is missing are left out.
 * `folder` is a scratch folder that the caller removes.
 */
export async function tryKernel(
  features: readonly KernelFeature[],
  programs: Readonly<Record<string, string>>,
  folder: string,
  signal?: AbortSignal,
): Promise<KernelTrials> {
  const options = { cwd: folder, timeout: 30_000, ...(signal ? { signal } : {}) };
  const unshare = async (kinds: readonly string[], script: string) =>
    await run(
      'unshare',
      [...kinds.map((kind) => `--${kind}`), '--fork', '--kill-child', '--', 'sh', '-c', script],
      options,
    );
  const possible = features.filter((feature) => feature.with.every((program) => programs[program]));
  try {
    const { stdout } = await unshare(namespaceKinds, trialScript(possible));
    return { namespaces: new Map(namespaceKinds.map((kind) => [kind, undefined])), features: parseTrials(stdout) };
  } catch (error) {
    signal?.throwIfAborted();
    const alone = await Promise.all(namespaceKinds.map((kind) => problemOf(unshare([kind], 'true'))));
    if (alone.every((problem) => problem === undefined)) throw error;
    return { namespaces: new Map(namespaceKinds.map((kind, i) => [kind, alone[i]])), features: new Map() };
  }
}

async function problemOf(attempt: Promise<unknown>): Promise<string | undefined> {
  return await attempt.then(
    () => undefined,
    (error: Error) => error.message,
  );
}

/** Each line of the output is a feature's id, then what its trial complained about, if it failed. */
export function trialScript(features: readonly KernelFeature[]): string {
  const attempts = features.map(({ id, trial }) => `attempt ${id} '${trial}'`);
  return [
    'attempt() { if out=$(eval "$2" 2>&1); then echo "$1 ok"; else echo "$1 failed" $out; fi; }',
    ...attempts,
  ].join('\n');
}

export function parseTrials(output: string): Trials {
  const lines = output.split('\n').filter(Boolean);
  return new Map(
    lines.map((line) => {
      const [id = '', outcome, ...words] = line.split(' ');
      return [id, outcome === 'ok' ? undefined : words.join(' ') || 'it failed without a word'];
    }),
  );
}
