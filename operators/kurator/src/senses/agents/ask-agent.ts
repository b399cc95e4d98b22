/** Asks one agent; what it says is believed only if it has the key, and answers what was asked. */
import { randomUUID } from 'node:crypto';
import { boundedText } from '../../access/bounded-text.ts';
import {
  type Address,
  type Answer,
  answerBytes,
  isSignedBy,
  measurePath,
  parseAnswer,
  signatureHeader,
  signatureOf,
} from './message.ts';

/** Longer than an agent measures. */
const patienceMs = 10_000;

/** By address, in their order; undefined where the agent is silent, or not to be believed. */
export async function askAgent(
  agent: Address,
  addresses: readonly Address[],
  key: string,
): Promise<Answer['openings'] | undefined> {
  const question = { nonce: randomUUID(), addresses };
  const text = JSON.stringify(question);
  const host = agent.host.includes(':') ? `[${agent.host}]` : agent.host;
  try {
    const response = await fetch(`http://${host}:${agent.port}${measurePath}`, {
      method: 'POST',
      body: text,
      headers: { [signatureHeader]: signatureOf('operator', text, key), connection: 'close' },
      redirect: 'error',
      signal: AbortSignal.timeout(patienceMs),
    });
    const answer = response.ok && response.body ? await boundedText(response.body, answerBytes) : undefined;
    if (answer === undefined) return undefined;
    const signature = response.headers.get(signatureHeader);
    return isSignedBy('agent', answer, signature, key) ? parseAnswer(answer, question) : undefined;
  } catch {
    return undefined;
  }
}
