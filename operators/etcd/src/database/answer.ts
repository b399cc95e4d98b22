/** What a server answers, whole: a member that has gone mad must not fill the operator's memory. */
import type { IncomingMessage } from 'node:http';

/** The text of an answer that has no more bytes than that; 1 MiB unless given. */
export async function textOf(response: IncomingMessage, longest = 1_048_576): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > longest) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
