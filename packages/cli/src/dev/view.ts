/** What `kurator dev` shows: a line for each thing that happens, and on a terminal one line that sums up. */
import type { ReporterStream } from '../terminal/progress-reporter.ts';
import type { ReconciledReport, Report } from './messages.ts';

const WIPE = '\r\x1b[K';

/** Draws the lines. */
export interface View {
  show(report: Report): void;
  say(text: string): void;
  close(): void;
}

/** What a line looks like depends on the stream: colours and the summary are for terminals. */
export function createView(stream: ReporterStream, name: string, now: () => Date = () => new Date()): View {
  const isTerminal = stream.isTTY === true;
  const counts = { reconciles: 0, failing: new Set<string>() };
  const paint = isTerminal && !process.env.NO_COLOR ? coloured : (_: number, text: string) => text;
  const say = (text: string) => {
    const time = now().toISOString().slice(11, 19);
    const summary = `${name}: ${counts.reconciles} reconciles, ${counts.failing.size} failing; Ctrl-C ends it`;
    stream.write(
      `${isTerminal ? WIPE : ''}${time} ${text}\n${isTerminal ? summary.slice(0, (stream.columns ?? 80) - 1) : ''}`,
    );
  };
  return {
    say,
    show(report) {
      if (report.report === 'log')
        say(report.level === 'info' ? report.text : paint(33, `${report.level}: ${report.text}`));
      if (report.report !== 'reconciled') return;
      counts.reconciles++;
      const id = `${report.kind} ${report.key}`;
      if (isFailure(report)) counts.failing.add(id);
      else counts.failing.delete(id);
      say(paint(isFailure(report) ? 31 : 32, reconciledText(report)));
    },
    close: () => void (isTerminal && stream.write(WIPE)),
  };
}

function coloured(colour: number, text: string): string {
  return `\x1b[${colour}m${text}\x1b[0m`;
}

function isFailure({ outcome }: ReconciledReport): boolean {
  return outcome === 'error' || outcome === 'timeout' || outcome === 'permanent';
}

const words: Readonly<Record<string, string>> = {
  success: 'reconciled',
  requeue: 'reconciled',
  conflict: 'conflict',
  stopped: 'stopped',
  error: 'failed',
  timeout: 'took too long',
  permanent: 'failed for good',
};

/** `MyApp default/web reconciled in 12 ms (changed: spec.replicas)` Pure. */
export function reconciledText({
  kind,
  key,
  outcome,
  milliseconds,
  why,
  againInSeconds,
  error,
}: ReconciledReport): string {
  const took = milliseconds < 10 ? milliseconds.toFixed(1) : milliseconds.toFixed(0);
  const again =
    againInSeconds === undefined
      ? ''
      : `, again in ${againInSeconds < 10 ? againInSeconds.toFixed(1) : againInSeconds.toFixed(0)} s`;
  return `${kind} ${key} ${words[outcome] ?? outcome} in ${took} ms${again} (${why.join('; ')})${error ? `: ${error}` : ''}`;
}
