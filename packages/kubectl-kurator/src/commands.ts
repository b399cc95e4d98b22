/** What `kurator` can do with the healer where this package is installed beside it. */
import type { Command, Session } from '@kurator/command';
import { declareInstall } from './install/command.ts';
import { declareDaily } from './plugin.ts';

/** Adds this package's commands to those of `kurator`. */
export function declareCommands(program: Command, session: Session): void {
  declareInstall(program, session);
  declareDaily(program, session);
}
