/** Every kind of image that can be built without an engine, run as a pod by a real kubelet and containerd. */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  BUSYBOX_IMAGE,
  busyboxImage,
  type Cluster,
  createCluster,
  eventually,
  type ImageArchive,
  imageFromBinary,
  imageFromFolder,
  imageFromNodeBundle,
  imageFromPackages,
  imagesFromArchive,
  silent,
} from '@kurator/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { kubectl, patiently } from './support/kubectl.ts';

let cluster: Cluster;
let folder: string;
let pods = 0;

beforeAll(async () => {
  ({ cluster } = await createCluster({ name: 'e2e-images', nodes: 1 }));
  await cluster.load((await busyboxImage()).path);
});
afterAll(async () => {
  await cluster?.down();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kurator-images-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Starts a pod of an image by the short name that a user writes; the kubelet's pull policy is the default. */
async function startPod(image: string, command: readonly string[] = [], spec: object = {}): Promise<string> {
  pods += 1;
  const name = `pod-${pods}`;
  const container = { name: 'main', image, ...(command.length > 0 ? { command } : {}) };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 0, containers: [container], ...spec },
  };
  await kubectl(cluster, ['apply', '-f', '-'], JSON.stringify(pod));
  return name;
}

/** Runs an image to its end and gives what it wrote, without the last line break. */
async function output(image: string, ...command: string[]): Promise<string> {
  const name = await startPod(image, command);
  return await outputOf(name);
}

async function outputOf(name: string): Promise<string> {
  await eventually(async () => {
    const phase = await kubectl(cluster, ['get', 'pod', name, '-o', 'jsonpath={.status.phase}']);
    expect(phase, await kubectl(cluster, ['describe', 'pod', name])).toMatch(/Succeeded|Failed/);
  }, patiently);
  const text = await kubectl(cluster, ['logs', name]);
  await kubectl(cluster, ['delete', 'pod', name, '--wait=false']);
  return text.trimEnd();
}

async function load(image: ImageArchive): Promise<void> {
  await cluster.load(image.path);
}

/** Images of hundreds of megabytes for one test are not what users want to find in their cache. */
function here() {
  return { output: join(folder, 'image.tar') };
}

describe('an image of busybox', () => {
  it('runs a shell with the usual programs', async () => {
    expect(await output(BUSYBOX_IMAGE, 'sh', '-c', 'echo hello | tr a-z A-Z; stat -c %a /tmp; id -un')).toBe(
      'HELLO\n1777\nroot',
    );
  });

  it('is not made of a busybox that would not start in it', async () => {
    await expect(busyboxImage({ busybox: process.execPath })).rejects.toThrow('is not a static busybox');
  });
});

describe('an image of a folder', () => {
  it('has the files, links and modes of the folder, on top of another image', async () => {
    await mkdir(join(folder, 'empty'));
    await writeFile(join(folder, 'grüße.txt'), 'hello');
    const script = '#!/bin/sh\ncat /srv/grüße.txt; stat -c " %a %U" /srv/run.sh; cd /srv; echo *';
    await writeFile(join(folder, 'run.sh'), script, { mode: 0o754 });
    const config = { name: 'demo/folder:v1', entrypoint: ['/srv/run.sh'] };
    await load(await imageFromFolder(folder, config, { ...here(), at: '/srv', from: await busyboxImage() }));
    expect(await output('demo/folder:v1')).toBe('hello 754 root\nempty grüße.txt run.sh');
  });
});

describe('an image of a static program', () => {
  it('runs it with the variables, arguments, user and folder that it was given', async () => {
    const config = {
      name: 'tool:v1',
      entrypoint: ['/busybox', 'sh', '-c', 'echo $0 $GREETING $PWD; id -u'],
      command: ['argument'],
      env: { GREETING: 'hello' },
      user: '1234',
      workdir: '/tmp',
    };
    await load(await imageFromBinary('/bin/busybox', config, here()));
    expect(await output('tool:v1')).toBe('argument hello /tmp\n1234');
  });
});

describe('an image of a Node bundle', () => {
  const program = `
    import { lookup } from 'node:dns/promises';
    import { userInfo, tmpdir } from 'node:os';
    import { readFileSync, writeFileSync } from 'node:fs';
    writeFileSync(tmpdir() + '/x', '');
    const [namespace, ca] = ['namespace', 'ca.crt'].map((name) => readFileSync('/var/run/secrets/kubernetes.io/serviceaccount/' + name, 'utf8'));
    const { address } = await lookup('kubernetes.default.svc.cluster.local', 4);
    console.log(process.version, userInfo().username, process.cwd(), namespace, ca.startsWith('-----'), address);`;

  it('runs on the same Node, as a user that is not root, with cluster DNS and its token', async () => {
    await writeFile(join(folder, 'main.js'), program);
    await load(await imageFromNodeBundle(join(folder, 'main.js'), { name: 'demo/app:v1' }, here()));
    const pod = await startPod('demo/app:v1', [], { securityContext: { runAsNonRoot: true } });
    const address = await kubectl(cluster, ['get', 'service', 'kubernetes', '-o', 'jsonpath={.spec.clusterIP}']);
    expect(await outputOf(pod)).toBe(`${process.version} nonroot /app default true ${address}`);
  });

  it('can have a shell below it', async () => {
    await writeFile(join(folder, 'index.js'), 'console.log(process.argv.slice(2).join());', { mode: 0o600 });
    const config = { name: 'demo/app:shell', command: ['a', 'b'] };
    await load(await imageFromNodeBundle(folder, config, { ...here(), from: await busyboxImage() }));
    expect(await output('demo/app:shell')).toBe('a,b');
    expect(await output('demo/app:shell', 'sh', '-c', 'ls /app; id -u')).toBe('index.js\n65532');
  });
});

describe('an image of Debian packages', () => {
  const config = { name: 'demo/nginx:v1', entrypoint: ['nginx', '-g', 'daemon off;'], ports: [8080] };
  let home: string;
  let nginx: ImageArchive;

  beforeAll(async () => {
    const site = 'events {} http { server { listen 8080; location / { return 200 hello; } } }';
    home = await mkdtemp(join(tmpdir(), 'kurator-images-'));
    const options = { output: join(home, 'nginx.tar'), files: { '/etc/nginx/nginx.conf': site } };
    nginx = await imageFromPackages(['nginx'], config, options);
    await load(nginx);
  });
  afterAll(async () => {
    await rm(home, { recursive: true, force: true });
  });

  it('has the packages installed as on a machine, and serves', async () => {
    const server = await startPod('demo/nginx:v1');
    await kubectl(cluster, ['wait', '--for=condition=Ready', `pod/${server}`, '--timeout=180s']);
    const address = await kubectl(cluster, ['get', 'pod', server, '-o', 'jsonpath={.status.podIP}']);
    const command = `for i in 1 2 3 4 5 6 7 8 9; do timeout 2 wget -qO- http://${address}:8080/ && break; sleep 0.3; done`;
    expect(await output(BUSYBOX_IMAGE, 'sh', '-c', command)).toBe('hello');
    expect(await output('demo/nginx:v1', 'sh', '-c', 'id -u www-data; dpkg -s nginx | grep Status')).toBe(
      '33\nStatus: install ok installed',
    );
  });

  it('comes from the cache the second time', async () => {
    const said: string[] = [];
    const reporter = { ...silent, info: (message: string) => void said.push(message) };
    await imageFromPackages(['nginx'], { ...config, name: 'demo/nginx:v2' }, { ...here(), reporter });
    expect(said).toEqual([]);
  });

  it('keeps the links of the system when something is added behind one', async () => {
    await mkdir(join(folder, 'bin'));
    await writeFile(join(folder, 'bin', 'greet'), '#!/bin/sh\necho hello', { mode: 0o755 });
    const files = { '/sbin/greet-again': { content: '#!/bin/sh\necho again', mode: 0o755 } };
    await load(await imageFromFolder(folder, { name: 'demo/nginx:more' }, { ...here(), from: nginx, files }));
    const script = 'readlink /bin /sbin; greet; greet-again; ls /usr/bin/greet /usr/sbin/greet-again; nginx -v 2>&1';
    expect(await output('demo/nginx:more', 'sh', '-c', script)).toMatch(
      /^usr\/bin\nusr\/sbin\nhello\nagain\n\/usr\/bin\/greet\n\/usr\/sbin\/greet-again\nnginx version: /,
    );
  });

  it('can carry Node beside its own libraries and users', async () => {
    await writeFile(join(folder, 'main.js'), 'console.log("hello");');
    await load(
      await imageFromNodeBundle(join(folder, 'main.js'), { name: 'demo/both:v1' }, { ...here(), from: nginx }),
    );
    expect(await output('demo/both:v1')).toBe('hello');
    const script = 'readlink /lib; id -u www-data; nginx -v 2>&1';
    expect(await output('demo/both:v1', 'sh', '-c', script)).toMatch(/^usr\/lib\n33\nnginx version: /);
  });

  it.each([
    [['nginx', 'no-such-a', 'no-such-b'], 'no-such-a, no-such-b'],
    [['nginx', 'Not A Name'], 'Not A Name'],
  ])('names the packages that do not exist: %j', async (packages, named) => {
    await expect(imageFromPackages(packages, { name: 'x:v1' })).rejects.toMatchObject({
      code: 'KUR_TESTENV_UNKNOWN_PACKAGE',
      message: expect.stringContaining(named),
      remedy: expect.stringContaining('apt-cache search'),
    });
  });

  it('leaves no process, no mount and no half made file when its maker is killed', async () => {
    const maker = await startMaker(folder, `await imageFromPackages(['hello'], { name: 'demo/hello:v1' });`);
    const tmp = join(folder, 'kurator', 'images', 'tmp');
    await eventually(async () => {
      const names = await readdir(tmp, { recursive: true });
      expect(names.some((name) => name.includes('mmdebstrap.') && name.endsWith('/var/lib'))).toBe(true);
    }, patiently);
    maker.kill('SIGKILL');
    await once(maker, 'exit');
    await eventually(async () => expect(await processesNaming(folder)).toEqual([]), patiently);
    expect(await readFile('/proc/self/mountinfo', 'utf8')).not.toContain(folder);
    await mkdir(join(folder, 'next'));
    const next = await startMaker(folder, `await imageFromFolder('${folder}/next', { name: 'demo/next:v1' });`);
    expect(await once(next, 'exit')).toEqual([0, null]);
    expect(await readdir(tmp)).toEqual([]);
  });
});

describe('an image with a large layer', () => {
  const look = 'cd /srv; cat page; echo; ls; ls sub; wc -c < large';
  const seen = (page: string) => `${page}\nlarge\npage\nsub\nyoung\n${LARGE}`;
  const LARGE = 9 * 1024 * 1024;

  /** Of three layers, the highest of which is large, and hides a file and all that a folder had. */
  async function loadImage(page: string): Promise<void> {
    const below = join(folder, 'below');
    await mkdir(join(below, 'sub'), { recursive: true });
    for (const file of ['page', 'hidden', 'sub/old']) await writeFile(join(below, file), 'below');
    const hiding = { '/srv/.wh.hidden': '', '/srv/sub/.wh..wh..opq': '' };
    const files = { ...hiding, '/srv/sub/young': '', '/srv/page': page, '/srv/large': Buffer.alloc(LARGE) };
    const config = { name: 'large:v1', command: ['sh', '-c', look] };
    await load(await imageFromFolder(below, config, { at: '/srv', from: await busyboxImage(), files, ...here() }));
  }

  it('is the same to every pod, whatever one writes, and is replaced by another of its name', async () => {
    // Nobody has ever unpacked this one.
    const page = `page of ${Date.now()}`;
    await loadImage(page);
    expect(await output('large:v1')).toBe(seen(page));
    expect(await output('large:v1', 'sh', '-c', 'echo mine > /srv/page; rm /srv/large; cat /srv/page')).toBe('mine');
    await loadImage(page);
    expect(await output('large:v1')).toBe(seen(page));
    await loadImage('another');
    expect(await output('large:v1')).toBe(seen('another'));
  });

  it('is there after a power cut', async () => {
    await loadImage('lasting');
    const fault = await cluster.faults.powerOff({ node: 'n1' });
    await fault.heal();
    expect(await output('large:v1')).toBe(seen('lasting'));
  });

  it('can not be changed from a node, by whoever may write to all of its files', async () => {
    await loadImage('lasting');
    const script = 'for page in /node/run/shared/*/fs/srv/page; do echo mine > $page; done; rm -rf /node/run/shared/*';
    const volumes = [{ name: 'node', hostPath: { path: '/' } }];
    const container = {
      name: 'main',
      image: BUSYBOX_IMAGE,
      command: ['sh', '-c', `(${script}) 2>&1 | grep -vc 'Read-only file system'`],
      volumeMounts: [{ name: 'node', mountPath: '/node' }],
    };
    expect(await outputOf(await startPod(BUSYBOX_IMAGE, [], { containers: [container], volumes }))).toBe('0');
    expect(await output('large:v1')).toBe(seen('lasting'));
  });
});

describe('the pause image', () => {
  it('leaves no zombie of a process whose parent is gone', async () => {
    // In a shared PID namespace pause is process 1, and every orphan becomes its child.
    const script = `
      cat /proc/1/comm
      orphan=$(sleep 0.2 >&- & echo $!)
      for i in $(seq 100); do [ -e /proc/$orphan ] || break; sleep 0.1; done
      [ -e /proc/$orphan ] && grep State /proc/$orphan/status || echo reaped`;
    expect(await outputOf(await startPod(BUSYBOX_IMAGE, ['sh', '-c', script], { shareProcessNamespace: true }))).toBe(
      'pause\nreaped',
    );
  });
});

describe('an archive of another tool', () => {
  it('is taken under the name that it was saved by', async () => {
    await load(await onlyImage(await dockerSave('saved:v1')));
    expect(await output('saved:v1', '/busybox', 'echo', 'hello')).toBe('hello');
  });

  /** As `docker save` wrote it before it wrote OCI layouts. */
  async function dockerSave(name: string): Promise<string> {
    execFileSync('tar', ['-C', '/bin', '-cf', join(folder, 'plain.tar'), 'busybox']);
    const layer = await readFile(join(folder, 'plain.tar'));
    const diffId = `sha256:${createHash('sha256').update(layer).digest('hex')}`;
    const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
    const config = { os: 'linux', architecture, config: {}, rootfs: { type: 'layers', diff_ids: [diffId] } };
    await writeFile(join(folder, 'layer.tar'), gzipSync(layer));
    await writeFile(join(folder, 'config.json'), JSON.stringify(config));
    const manifest = [{ Config: 'config.json', RepoTags: [name], Layers: ['layer.tar'] }];
    await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
    const path = join(folder, 'saved.tar');
    execFileSync('tar', ['-C', folder, '-cf', path, 'manifest.json', 'config.json', 'layer.tar']);
    return path;
  }

  async function onlyImage(path: string): Promise<ImageArchive> {
    const [image, ...others] = await imagesFromArchive(path);
    if (!image || others.length > 0) throw new Error(`${path} has ${others.length + 1} images`);
    return image;
  }
});

describe('too little room on the disk', () => {
  it.each([
    ['bytes', 'size=4m', /needs .* on the disk/],
    ['files', 'size=64m,nr_inodes=7', /became full/],
  ])('is said plainly when %s run out, and nothing is left', async (_, limit, message) => {
    const disk = join(folder, 'disk');
    await mkdir(disk);
    await mkdir(join(folder, 'content'));
    await writeFile(join(folder, 'content', 'large'), Buffer.alloc(3_000_000));
    const code = `
      const error = await imageFromFolder('${folder}/content', { name: 'web:v1' }).catch((reason) => reason);
      const left = readdirSync('${disk}', { recursive: true, withFileTypes: true }).filter((item) => item.isFile());
      console.log(JSON.stringify({ code: error.code, message: error.message, remedy: error.remedy, left }));`;
    const mount = `mount -t tmpfs -o ${limit} none "$0" && exec "$@"`;
    const line = ['--mount', '--', 'sh', '-c', mount, disk, ...makerCommand(code)];
    const said = execFileSync('unshare', line, {
      cwd: ROOT,
      env: { ...process.env, XDG_CACHE_HOME: disk },
      encoding: 'utf8',
    });
    expect(JSON.parse(said)).toEqual({
      code: 'KUR_TESTENV_NO_SPACE',
      message: expect.stringMatching(message),
      remedy: expect.stringContaining('XDG_CACHE_HOME'),
      left: [],
    });
  });
});

const ROOT = join(import.meta.dirname, '..');

/** A command line that runs code in a process of its own, to be started in {@link ROOT}. */
function makerCommand(code: string): string[] {
  const script = `
    import { readdirSync } from 'node:fs';
    import { imageFromFolder, imageFromPackages } from '@kurator/testenv';
    ${code}`;
  return [process.execPath, '--conditions=source', '--input-type=module', '-e', script];
}

async function startMaker(cache: string, code: string) {
  const [command = '', ...args] = makerCommand(code);
  const env = { ...process.env, XDG_CACHE_HOME: cache };
  const child = spawn(command, args, { cwd: ROOT, env, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  return child;
}

async function processesNaming(text: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.includes(text));
}
