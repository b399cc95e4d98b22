/** A snapshot out of what etcd's gateway sends of it: lines of JSON with a piece in base64 in each. */

/** Pieces have 32 KiB; a line that is much longer is none of etcd's. */
const LONGEST_LINE = 16 * 1_048_576;
const NEWLINE = 0x0a;

/** The bytes of the database, and after them the 32 of its own SHA-256. Fails unless the stream came to its end. */
export async function* snapshotBytes(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let isWhole = false;
  for await (const line of linesOf(stream)) {
    const { result, error } = JSON.parse(line) as {
      result?: { blob?: string; remaining_bytes?: string };
      error?: { message?: string };
    };
    if (error || !result)
      throw new Error(`etcd broke the snapshot off: ${error?.message ?? 'a line without a result'}`);
    // The last piece of the database and the digest after it both have nothing after them.
    isWhole = Number(result.remaining_bytes ?? 0) === 0;
    if (result.blob) yield Buffer.from(result.blob, 'base64');
  }
  if (!isWhole) throw new Error('the snapshot was cut off');
}

async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      pieces.push(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      const line = Buffer.concat(pieces).toString('latin1');
      pieces = [];
      length = 0;
      if (line !== '') yield line;
    }
    length += rest.length;
    if (length > LONGEST_LINE) throw new Error('a line of the snapshot is too long');
    if (rest.length > 0) pieces.push(rest);
  }
  if (length > 0) yield Buffer.concat(pieces).toString('latin1');
}
