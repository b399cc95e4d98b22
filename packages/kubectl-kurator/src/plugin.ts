/** What can be typed with `kubectl kurator`: what one does with a cluster that has the healer. */
import { readFileSync } from 'node:fs';
import { type Command, emptyProgram, type Session } from '@kurator/command';
import { declareDrill } from './drill/command.ts';
import { declareHealer } from './healer/commands.ts';

/** The tree of its commands, for one session. */
export function createPlugin(session: Session): Command {
  const program = emptyProgram('kubectl kurator', ownVersion(), session).description(
    'Services that Kurator keeps healthy: how they are, what happened to them, and why.',
  );
  declareDaily(program, session);
  return program;
}

/** The commands of every day; `kurator` has them too. */
export function declareDaily(program: Command, session: Session): void {
  declareHealer(program, session);
  declareDrill(program, session);
}

function ownVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
