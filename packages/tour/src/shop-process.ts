/**
 * One service of the tour's shop, as a program of its own: it answers with what it has and with what those answer that it
 * depends on, and with 503 when one of them does not. Nothing but Node, because its image is made of this file alone.
 *
 *     NAME=catalogue DEPENDS_ON=database node shop-process.ts
 */
import { createServer, request } from 'node:http';

const { NAME = 'service', DEPENDS_ON = '', BUG = '' } = process.env;
const PORT = 8080;
/** Whoever doesn't answer is asked again, on a new connection: perhaps another instance takes it. */
const TRIES = 3;
const PATIENCE = 300;
/** Those who still come are served, until everybody knows that it goes. */
const FAREWELL = 800;

const dependencies = DEPENDS_ON.split(',').filter(Boolean);

if (BUG) {
  console.error(`${NAME}: ${BUG}`);
  process.exit(1);
}

const server = createServer(async (asked, answer) => {
  // For the kubelet: whether this one is there, whatever becomes of the others.
  const others = asked.url === '/alive' ? [] : await Promise.all(dependencies.map(isWell));
  const missing = dependencies.filter((_, index) => others[index] === false);
  const text = missing.length > 0 ? `${NAME} can't do without ${missing.join(' and ')}` : `${NAME} is well`;
  answer.writeHead(missing.length > 0 ? 503 : 200, { connection: 'close' }).end(`${text}\n`);
});
server.listen(PORT, () => console.log(`${NAME} serves on port ${PORT}`));
process.once('SIGTERM', () => setTimeout(() => process.exit(0), FAREWELL));

async function isWell(dependency: string): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries++) {
    const status = await statusOf(dependency);
    if (status !== undefined) return status === 200;
  }
  return false;
}

/** Undefined where there is no answer. */
async function statusOf(host: string): Promise<number | undefined> {
  return await new Promise((resolve) => {
    const signal = AbortSignal.timeout(PATIENCE);
    const fail = () => resolve(undefined);
    const asking = request({ host, agent: false, signal }, (answer) => {
      answer.on('error', fail).resume();
      resolve(answer.statusCode);
    });
    asking.on('error', fail).end();
  });
}
