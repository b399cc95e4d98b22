const NEWLINE = 0x0a;

/** Cuts bytes that come in pieces into lines, without their ends. */
export interface LineCutter {
  /** The lines that end in this chunk. A line that lies within it is a view of it: no byte is copied. */
  cut(chunk: Uint8Array): Uint8Array[];
  /** What came after the last newline; undefined when that was nothing. */
  rest(): Uint8Array | undefined;
}

export function lineCutter(): LineCutter {
  let pending: Uint8Array[] = [];
  const finish = (last: Uint8Array) => {
    if (pending.length === 0) return last;
    const whole = Buffer.concat([...pending, last]);
    pending = [];
    return whole;
  };
  return {
    cut(chunk) {
      const lines: Uint8Array[] = [];
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        lines.push(finish(chunk.subarray(start, end)));
        start = end + 1;
      }
      if (start < chunk.length) pending.push(chunk.subarray(start));
      return lines;
    },
    rest: () => (pending.length === 0 ? undefined : finish(new Uint8Array(0))),
  };
}

/**
 * Cuts a stream of bytes into lines of text. Bytes are gathered and decoded a line at a time, so that a
 * character split between two chunks survives. The rest after the last newline, if any, is the last line.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const cutter = lineCutter();
  for await (const chunk of chunks) {
    for (const line of cutter.cut(chunk)) yield textOf(line);
  }
  const rest = cutter.rest();
  if (rest) yield textOf(rest);
}

/** The text of some bytes, without copying them first. */
export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
