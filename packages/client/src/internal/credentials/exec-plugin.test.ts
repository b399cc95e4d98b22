import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ExecPlugin } from '../../config.ts';
import { runExecPlugin } from './exec-plugin.ts';

const apiVersion = 'client.authentication.k8s.io/v1';
const config = { server: 'https://127.0.0.1:6443', ca: 'CA' };

/** A plugin whose program is this JavaScript. */
const plugin = (program: string, options: Partial<ExecPlugin> = {}): ExecPlugin => ({
  apiVersion,
  command: process.execPath,
  args: ['-e', program],
  ...options,
});
const printing = (status: object, version = apiVersion) =>
  `console.log(${JSON.stringify(JSON.stringify({ apiVersion: version, kind: 'ExecCredential', status }))})`;
const errorOf = async (promise: Promise<unknown>) =>
  await promise.then(
    () => expect.unreachable(),
    (error) => error,
  );

describe('gives', () => {
  it('a token, and when it expires', async () => {
    const program = printing({ token: 'abc', expirationTimestamp: '2026-01-01T00:00:00Z' });
    expect(await runExecPlugin(plugin(program), config)).toEqual({ token: 'abc', expires: 1767225600000 });
  });

  it('a client certificate', async () => {
    const program = printing({ clientCertificateData: 'CERT', clientKeyData: 'KEY' });
    expect(await runExecPlugin(plugin(program), config)).toEqual({ cert: 'CERT', key: 'KEY' });
  });

  it('what it makes of its environment and of the cluster', async () => {
    const program = `
      const { spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
      const token = [process.env.WHO, spec.interactive, spec.cluster.server, spec.cluster.config.audience].join(' ');
      console.log(JSON.stringify({ apiVersion: '${apiVersion}', kind: 'ExecCredential', status: { token } }));`;
    const options = { env: { WHO: 'me' }, provideClusterInfo: true, clusterConfig: { audience: 'x' } };
    const { token } = await runExecPlugin(plugin(program, options), config);
    expect(token).toBe('me false https://127.0.0.1:6443 x');
  });
});

describe('does not wait for what a plugin leaves behind', () => {
  /** Starts a program that outlives the plugin and holds its standard output, until the test is over. */
  const leaving = (then: string, options: Partial<ExecPlugin> = {}): ExecPlugin => {
    const pidFile = join(mkdtempSync(join(tmpdir(), 'kurator-plugin-')), 'pid');
    onTestFinished(() => {
      process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
      rmSync(dirname(pidFile), { recursive: true });
    });
    const program = `
      const { spawn } = require('node:child_process');
      const stdio = ['ignore', 'inherit', 'ignore'];
      const { pid } = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 120_000)'], { stdio, detached: true });
      require('node:fs').writeFileSync(process.env.PID_FILE, String(pid));
      ${then}
      process.exit(Number(process.env.CODE ?? 0));`;
    return plugin(program, { ...options, env: { ...options.env, PID_FILE: pidFile } });
  };

  it('when it has printed a credential', async () => {
    expect(await runExecPlugin(leaving(printing({ token: 'abc' })), config)).toEqual({ token: 'abc' });
  });

  it.each([
    ['when it has failed', { env: { CODE: '3' } }, /exit code 3/],
    ['when it has printed nothing', { timeout: 2_000 }, /left a process behind that holds its output/],
  ])('%s', async (_, options, message) => {
    const error = await errorOf(runExecPlugin(leaving('', options), config));
    expect(error).toMatchObject({ code: 'KUR_CLIENT_CREDENTIALS', message: expect.stringMatching(message) });
  });
});

describe('says what is wrong with a plugin', () => {
  it('that is not installed, and how to install it', async () => {
    const missing = { apiVersion, command: 'kurator-no-such-plugin', installHint: 'Run: get-plugin' } as const;
    expect(await errorOf(runExecPlugin(missing, config))).toMatchObject({
      code: 'KUR_CLIENT_CREDENTIALS',
      message: 'the credential plugin "kurator-no-such-plugin" is not installed.\nRun: get-plugin',
    });
  });

  it.each([
    ['that fails', 'process.exit(3)', {}, /exit code 3/],
    ['that hangs', 'setInterval(() => {}, 1000)', { timeout: 200 }, /ended by SIGKILL: it may take 0.2 s/],
    ['that prints something else', 'console.log("hello")', {}, /did not print an ExecCredential/],
    ['of another version', printing({ token: 'a' }, 'client.authentication.k8s.io/v1beta1'), {}, /printed .*v1beta1/],
    ['that gives nothing', printing({}), {}, /neither a token nor a client certificate/],
    ['that gives half a pair', printing({ token: 'a', clientCertificateData: 'CERT' }), {}, /together/],
    ['that wants a person', '', { interactiveMode: 'Always' } as const, /no terminal/],
  ])('%s', async (_, program, options, message) => {
    const error = await errorOf(runExecPlugin(plugin(program, options), config, false));
    expect(error).toMatchObject({ code: 'KUR_CLIENT_CREDENTIALS', message: expect.stringMatching(message) });
  });

  it('without quoting what it printed, its arguments or its environment', async () => {
    const program = 'console.log("s3cret-output"); process.exit(1)';
    const error = await errorOf(runExecPlugin(plugin(program, { env: { TOKEN: 's3cret-env' } }), config));
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('s3cret');
  });
});
