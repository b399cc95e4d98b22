/** The tour of a cluster with nodes: the shop, one fault after the other, and what came of them. */

import { tourFaults } from './faults.ts';
import { legend, type Moment, matrix } from './matrix.ts';
import type { Narrator } from './narrator.ts';
import { inShop, type OpenOptions, type Shop } from './open-shop.ts';
import { storyteller } from './storyteller.ts';
import { allHold, claimLines, type Outcome, summary } from './summary.ts';
import { tryFault } from './try-fault.ts';

/** How it is shown. */
export interface ShowOptions extends Omit<OpenOptions, 'storyteller'> {
  /** Whether it goes on when all was shown, until the signal. */
  readonly stays: boolean;
}

const SECOND = 1000;

/** Whether everything was as it had to be. */
export async function showShop(options: ShowOptions): Promise<boolean> {
  const { narrator, signal } = options;
  const teller = storyteller(narrator);
  return await inShop({ ...options, storyteller: teller }, async (shop) => {
    const stopWatching = showMatrix(shop, narrator);
    try {
      const outcomes: Outcome[] = [];
      for (const [index, fault] of tourFaults.entries()) {
        narrator.line(`\n${narrator.screen.paint('bold', `Fault ${index + 1}: ${fault.title}`)}`);
        narrator.step(fault.explanation);
        teller.begin(fault.service);
        const outcome = await tryFault(shop, fault);
        narrator.line(
          claimLines(outcome.claims, narrator.screen)
            .map((line) => `${' '.repeat(13)}${line}`)
            .join('\n'),
        );
        outcomes.push(outcome);
      }
      sayWhatCame(outcomes, narrator);
      sayHowToGoOn(shop, narrator, options.stays);
      if (options.stays) await untilAborted(signal);
      return allHold(outcomes);
    } finally {
      stopWatching();
    }
  });
}

function sayWhatCame(outcomes: readonly Outcome[], narrator: Narrator): void {
  narrator.line(`\n${summary(outcomes, narrator.screen)}\n`);
  narrator.step(allHold(outcomes) ? 'Everything was as it had to be.' : 'Not everything was as it had to be.');
}

/** On a terminal. */
function showMatrix({ watch, customers }: Shop, narrator: Narrator): () => void {
  const moments: Moment[] = [];
  const now = (): Moment => ({ services: watch.health(), served: customers.served() });
  moments.push(now());
  const timer = setInterval(() => moments.push(now()), SECOND);
  narrator.show(() => [...matrix([...moments, now()], narrator.screen), narrator.screen.paint('dim', legend)]);
  return () => {
    clearInterval(timer);
    narrator.close();
  };
}

function sayHowToGoOn({ cluster }: Shop, narrator: Narrator, stays: boolean): void {
  if (!stays) return;
  narrator.line(
    [
      '',
      'The shop stays open until you press Ctrl-C. Look further in another terminal:',
      '',
      `  export KUBECONFIG=${cluster.kubeconfig}`,
      '  kubectl -n shop get kurators,incidents,pods -o wide',
      '  kubectl -n shop describe incident database-1',
      '',
      '  npm run -s kurator -- explain database -n shop        the whole story, and decided again',
      '  npm run -s kurator -- get -n shop --watch',
      `  npm run -s kurator -- cluster fault --help             break something yourself, with --name ${cluster.name}`,
    ].join('\n'),
  );
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
