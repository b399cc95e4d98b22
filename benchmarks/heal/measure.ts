/** One turn of one contestant: started, warmed up, measured from outside and by what it says, ended. */
import { startSubject } from '../subjects/subject.ts';
import { environmentOf, type Findings, type Load } from './load.ts';
import type { Contestant } from './make.ts';

/** What a turn gave. */
export interface Turn extends Findings {
  /** Processor time, in seconds. */
  readonly cpuSeconds: number;
  /** At the end, with all checks running. */
  readonly rssMiB: number;
}

export async function measure(contestant: Contestant, load: Load): Promise<Turn> {
  const subject = startSubject(contestant, { ...environmentOf(load), ...contestant.env });
  try {
    await subject.says('begin');
    const before = await subject.usage();
    const line = await subject.says('end');
    const after = await subject.usage();
    const findings = JSON.parse(line.slice('end'.length)) as Findings;
    return { ...findings, cpuSeconds: after.cpuSeconds - before.cpuSeconds, rssMiB: after.rssMiB };
  } finally {
    await subject.stop();
  }
}
