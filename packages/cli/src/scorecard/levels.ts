/** Everything that is looked at in a cluster. To add a line, add a check to its level. */
import type { LevelChecks } from './check.ts';
import { autopilot } from './levels/autopilot.ts';
import { insight } from './levels/insight.ts';
import { install } from './levels/install.ts';
import { lifecycle } from './levels/lifecycle.ts';
import { upgrade } from './levels/upgrade.ts';

export const levels: readonly LevelChecks[] = [install, upgrade, lifecycle, insight, autopilot];
