/** Small scripts in place of large programs: they run, say a version, and do nothing else. */
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Program } from '../../src/binaries/program.ts';

/** A script that reports a version in the words of the program that it stands for. */
export function fakeProgram(program: Program, version: string): string {
  const words: Partial<Record<Program, string>> = { etcd: 'etcd Version: ', coredns: 'CoreDNS-' };
  return `#!/bin/sh\necho "${words[program] ?? 'Kubernetes v'}${version}"\n`;
}

/** Puts such scripts into a folder. */
export async function fakeProgramsIn(folder: string, programs: Partial<Record<Program, string>>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [program, version] of Object.entries(programs)) {
    await writeFile(join(folder, program), fakeProgram(program as Program, version), { mode: 0o755 });
  }
}

/** A `go` that answers as Go does and "builds" a script, and what it has been asked. */
export interface FakeGo {
  /** An environment in which it is the first `go` on the PATH, and nothing else of Go is there. */
  readonly env: NodeJS.ProcessEnv;
  /** While this file exists a build does not come to its end. */
  readonly hold: string;
  /** A line for each build that began. */
  readonly builds: string;
}

/** What the fake Go is to do other than build. */
export interface FakeGoOptions {
  /** The version it says it is; 1.26.0 unless told. */
  version?: string;
  /** Shell code in place of a build that works. */
  build?: string;
  /** Shell code in place of `go mod download` that works. */
  download?: string;
}

/** Puts a fake Go into a folder. */
export async function fakeGoIn(folder: string, options: FakeGoOptions = {}): Promise<FakeGo> {
  await mkdir(folder, { recursive: true });
  const [hold, builds] = [join(folder, 'hold'), join(folder, 'builds')];
  const { version = '1.26.0' } = options;
  const download = options.download ?? `echo "go 1.26.0" > "${folder}/mod"; echo '{"GoMod": "${folder}/mod"}'`;
  // Like the real one it dies of a broken pipe when nobody reads what it prints any more.
  const build =
    options.build ??
    `echo build >> "${builds}"
     while [ -e "${hold}" ]; do echo example.org/held >&2; sleep 0.05; done
     echo example.org/first >&2
     version=$(echo "$*" | sed -n 's/.*gitVersion=v\\([0-9.]*\\).*/\\1/p')
     while [ "$1" != -o ]; do shift; done
     printf '#!/bin/sh\\necho "Kubernetes v%s"\\n' "\${version:-1.15.0}" > "$2"; chmod +x "$2"`;
  await writeFile(
    join(folder, 'go'),
    `#!/bin/sh
     case "$1 $2" in
       "env GOVERSION") echo go${version};;
       "env GO"*) mkdir -p "${folder}/cache"; echo "${folder}/cache";;
       "mod download") ${download};;
       "mod tidy") echo "go: downloading example.org/first v1.0.0" >&2;;
       "list "*) echo "example.org/first 3";;
       "build "*) ${build};;
     esac
`,
    { mode: 0o755 },
  );
  const PATH = [folder, '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);
  return { hold, builds, env: { PATH, HOME: folder, KURATOR_BINARY_SOURCES: 'cache,build' } };
}
