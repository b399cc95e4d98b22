/** What `kurator dev` shows: a line for each thing that happens, and on a terminal one line that sums up. */
import type { LiveArea } from '@kurator/command';
import type { ReconciledReport, Report } from './messages.ts';

/** Draws the lines. */
export interface View {
  show(report: Report): void;
  say(text: string): void;
  close(): void;
}

/** What a line looks like depends on the stream: colours and the summary are for terminals. */
export function createView(area: LiveArea, name: string, now: () => Date = () => new Date()): View {
  const { paint } = area.screen;
  const counts = { reconciles: 0, failing: new Set<string>() };
  const summary = () => `${name}: ${counts.reconciles} reconciles, ${counts.failing.size} failing; Ctrl-C ends it`;
  const hide = area.show(() => [summary().slice(0, (area.screen.width ?? 80) - 1)]);
  const say = (text: string) => area.line(`${now().toISOString().slice(11, 19)} ${text}`);
  return {
    say,
    show(report) {
      if (report.report === 'log')
        say(report.level === 'info' ? report.text : paint('busy', `${report.level}: ${report.text}`));
      if (report.report !== 'reconciled') return;
      counts.reconciles++;
      const id = `${report.kind} ${report.key}`;
      if (isFailure(report)) counts.failing.add(id);
      else counts.failing.delete(id);
      say(paint(isFailure(report) ? 'bad' : 'good', reconciledText(report)));
    },
    close: hide,
  };
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
