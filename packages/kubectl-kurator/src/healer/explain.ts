/** `kurator explain` */
import type { Action } from '@kurator/command';
import {
  bare,
  type ClusterOptions,
  inCluster,
  isForPrograms,
  type OutputOptions,
  serialised,
} from '@kurator/command/kube';
import { decidedAgain } from './again.ts';
import { findIncident } from './find.ts';
import { story } from './story.ts';

interface ExplainOptions extends ClusterOptions, OutputOptions {
  readonly full?: boolean;
}

export const explain: Action<ExplainOptions, [string]> = async ({ print, screen, signal }, options, name) =>
  await inCluster(options, async (reached) => {
    const incident = await findIncident(reached, name, signal);
    if (isForPrograms(options)) {
      print(await serialised({ incident: bare(incident), decidedAgain: decidedAgain(incident) }, options, screen));
    } else {
      print(story(incident, screen, { full: options.full ?? options.output === 'wide' }));
    }
    return 0;
  });
