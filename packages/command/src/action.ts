/** What a command does, kept apart from how it is typed: actions are loaded only when their command runs. */
import { exitCodeOf, Interrupted } from './error.ts';
import { errorText } from './terminal/error-text.ts';
import { LiveArea, type TerminalStream } from './terminal/live-area.ts';
import { progressReporter, type Reporter } from './terminal/progress-reporter.ts';
import type { Screen } from './terminal/style.ts';

/** What one run of the command talks to. */
export interface Session {
  /** For results only. */
  readonly stdout: TerminalStream;
  /** For everything that is said on the way. */
  readonly stderr: TerminalStream;
  /** Fires on Ctrl-C. */
  readonly signal: AbortSignal;
  exit(code: number): void;
}

/** What an action gets to work with. */
export interface ActionContext {
  readonly signal: AbortSignal;
  readonly reporter: Reporter;
  /** Where progress is drawn, for whoever has more to show in place. */
  readonly live: LiveArea;
  /** Where results are printed, for whoever has some to keep up to date. */
  readonly results: LiveArea;
  /** What results are printed on. */
  readonly screen: Screen;
  /** A line of the result. */
  print(text: string): void;
  /** A line for the person, which is no part of the result. */
  say(text: string): void;
}

/** Options and arguments are as commander gives them; the result is an exit code, 0 unless told. */
export type Action<Options, Arguments extends readonly unknown[]> = (
  context: ActionContext,
  options: Options,
  ...args: Arguments
) => Promise<number | undefined>;

/** What commander calls: the arguments, then the options, then the command. */
type CommanderHandler = (...given: unknown[]) => Promise<void>;

/** Makes a commander handler of an action that is loaded when it is called. */
export function lazy<Options, Arguments extends readonly unknown[]>(
  session: Session,
  load: () => Promise<Action<Options, Arguments>>,
): CommanderHandler {
  return async (...given) => {
    const args = given.slice(0, -2) as unknown as Arguments;
    const options = given.at(-2) as Options & { verbose?: boolean };
    const verbose = options.verbose ?? false;
    const live = new LiveArea(session.stderr);
    const results = new LiveArea(session.stdout);
    const reporter = progressReporter({ area: live, verbose });
    const context: ActionContext = {
      reporter,
      live,
      results,
      signal: session.signal,
      screen: results.screen,
      print: (text) => results.line(text),
      say: reporter.info,
    };
    try {
      const action = await load();
      session.exit((await action(context, options, ...args)) ?? 0);
    } catch (error) {
      live.close();
      const why = isInterruption(error, session.signal) ? session.signal.reason : error;
      if (!(why instanceof Interrupted)) session.stderr.write(`${errorText(why, { verbose })}\n`);
      session.exit(exitCodeOf(why));
    } finally {
      reporter.close();
      live.close();
    }
  };
}

/** Tells a person who has pressed Ctrl-C that something is being done about it. */
export function announceCleanup({ signal, say }: ActionContext): void {
  const announce = () => say('Interrupted: cleaning up. (Once more leaves at once.)');
  signal.addEventListener('abort', announce, { once: true });
}

/** Timers and streams that are broken off fail with an error of their own instead of the signal's reason. */
function isInterruption(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  return error === signal.reason || (error instanceof Error && error.name === 'AbortError');
}
