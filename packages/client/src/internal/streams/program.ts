/** A session with a program in a container, out of the channels that carry it. */
import type { Readable } from 'node:stream';
import { ClientError, errorFromStatus } from '../../error.ts';
import type { Execution } from '../../execution.ts';
import type { Status } from '../../object.ts';
import type { AttachOptions } from '../../options.ts';
import { parseJson } from '../json.ts';
import type { Channels } from './channels.ts';
import type { SessionKind } from './session.ts';

const STDIN = 0;
const RESIZE = 4;

/** v5 can end a stream while the others go on. Channels: standard output, standard error, how it ended. */
export const executionSession: SessionKind = {
  protocols: ['v5.channel.k8s.io', 'v4.channel.k8s.io'],
  incoming: [1, 2, 3],
};

/** `doing` says what is going on, for messages: `exec ls in Pod default/web`. */
export function executionOf(doing: string, channels: Channels, options: AttachOptions): Execution {
  const { stdin: wantsStdin = false, stdout: wantsStdout = true, tty = false } = options;
  const { stderr: wantsStderr = !tty } = options;
  const stdin = channels.writable(STDIN);
  const [stdout, stderr, end] = channels.incoming as [Readable, Readable, Readable];
  if (!wantsStdin) stdin.destroy();
  if (!wantsStdout) stdout.push(null);
  if (!wantsStderr) stderr.push(null);
  if (wantsStdin && !channels.canHalfClose) {
    stdin.once('finish', () => channels.close(cannotEndStdin(doing)));
  }
  const report: Buffer[] = [];
  end.on('data', (chunk: Buffer) => report.push(chunk));
  const exitCode = channels.closed.then(
    () => exitCodeFrom(doing, Buffer.concat(report).toString('utf8')),
    (failure: unknown) => {
      // What the program's end was is known, whatever became of the connection after it.
      if (report.length === 0) throw failure;
      return exitCodeFrom(doing, Buffer.concat(report).toString('utf8'));
    },
  );
  exitCode.catch(() => {});
  const close = () => channels.close();
  return {
    stdin,
    stdout,
    stderr,
    exitCode,
    resize: ({ columns, rows }) => channels.send(RESIZE, JSON.stringify({ Width: columns, Height: rows })),
    close,
    async [Symbol.asyncDispose]() {
      close();
      await channels.closed.catch(() => {});
    },
  };
}

/** What the last message of a session says about how it ended. */
export function exitCodeFrom(doing: string, text: string): number {
  const status = parseJson(text) as Status | undefined;
  if (status?.status === 'Success') return 0;
  const cause = status?.details?.causes?.find(({ reason }) => reason === 'ExitCode');
  const code = Number.parseInt(cause?.message ?? '', 10);
  if (status?.reason === 'NonZeroExitCode' && !Number.isNaN(code)) return code;
  if (status?.kind === 'Status') throw errorFromStatus(doing, status, status.code ?? 500);
  throw new ClientError('KUR_CLIENT_SERVER', `${doing}: ${text.slice(0, 500) || 'it ended without saying how'}`);
}

function cannotEndStdin(doing: string): ClientError {
  return new ClientError(
    'KUR_CLIENT_UNSUPPORTED',
    `${doing}: this API server can't tell a program that its input has ended: Kubernetes ≥ 1.30 can`,
  );
}
