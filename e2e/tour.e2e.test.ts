/** What `npm start` shows a newcomer, and that it leaves the machine as it was, however it ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually, listClusters, openCluster } from '@kurator/testenv';
import { expect, it } from 'vitest';
import { type Belongings, belongingsOf, remainsOf } from './support/belongings.ts';
import { patiently } from './support/kubectl.ts';

const kurator = join(import.meta.dirname, '..', 'packages', 'cli', 'src', 'main.ts');
/** Long enough for a machine that does other things as well: three faults are waited for. */
const LONGEST = 600_000;

interface Tour {
  readonly child: ChildProcess;
  /** Its exit code, or the signal that ended it, when all that it printed has come. */
  readonly ended: Promise<unknown[]>;
  said(): string;
  /** Resolves when it has printed this. */
  untilSaid(what: string): Promise<void>;
}

function startTour(name: string): Tour {
  const args = ['--conditions=source', kurator, 'tour', '--once', '--name', name];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.resume();
  child.stdout.on('data', (chunk) => {
    said += String(chunk);
  });
  const untilSaid = async (what: string) => {
    await eventually(async () => expect(said, said).toContain(what), { ...patiently, timeout: LONGEST / 3 });
  };
  return { child, ended: once(child, 'close'), said: () => said, untilSaid };
}

async function expectNothingLeft(name: string, belongings: Belongings): Promise<void> {
  await eventually(async () => expect(await remainsOf(belongings)).toEqual([]), patiently);
  expect((await listClusters()).map((cluster) => cluster.name)).not.toContain(name);
}

it(
  'heals a shop of three faults, tells all of it, and leaves nothing',
  async () => {
    const name = 'e2e-tour';
    const { ended, untilSaid, ...tour } = startTour(name);
    await untilSaid('Up: Kubernetes');
    const belongings = await belongingsOf(await openCluster(name));
    const [code] = await ended;
    const said = tour.said();
    console.log(said);
    expect(code, said).toBe(0);
    // Each fault was found, told of and repaired, by the step that fits it.
    expect(said).toMatch(/finds +cart: .*\n/);
    expect(said).toMatch(/tells +front: cart fails and is about to be repaired \(replace\)/);
    expect(said).toMatch(/repairs +cart: replace cart-/);
    expect(said).toMatch(/repairs +catalogue: roll back to revision/);
    expect(said).toMatch(/waits +(catalogue|front): /);
    expect(said).toMatch(/repairs +database: replace database-0/);
    expect(said).toMatch(/alert +page: database is down/);
    expect(said).toMatch(/alert +resolved: database is well again/);
    expect(said.match(/✓ /g)).toHaveLength(15);
    expect(said).not.toContain('✗');
    expect(said).toContain('Everything was as it had to be.');
    expect(said).toContain('The cluster is down, and nothing of it is left.');
    await expectNothingLeft(name, belongings);
  },
  LONGEST,
);

it(
  'leaves nothing when somebody presses Ctrl-C in the middle of a fault',
  async () => {
    const name = 'e2e-tour-broken-off';
    const { child, ended, untilSaid } = startTour(name);
    await untilSaid('Fault 1');
    const belongings = await belongingsOf(await openCluster(name));
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    await expectNothingLeft(name, belongings);
  },
  LONGEST,
);
