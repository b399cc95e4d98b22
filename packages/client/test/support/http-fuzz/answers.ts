/** Answers of HTTP/1.1 as servers, proxies and attackers may send them: most are in order, some nearly, some not at all. */
import fc from 'fast-check';

/** What the server does for one request. */
export interface Served {
  /** The pieces that the client reads, one after another; each character is a byte. */
  readonly pieces: readonly string[];
  /** Whether the client has time to act between them. */
  readonly apart: boolean;
  /** What becomes of the connection then. */
  readonly after: 'stays' | 'ends' | 'breaks';
}

const mostly = <T>(usual: T, ...odd: T[]) =>
  fc.oneof({ weight: 30, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...odd) });
const rarely = <T>(usual: T, odd: fc.Arbitrary<T>, weight = 12) =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: odd });

const bytes = (most: number) =>
  fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: most }).map((codes) => String.fromCharCode(...codes));
const plain = (most: number) =>
  fc.array(fc.integer({ min: 0x20, max: 0x7e }), { maxLength: most }).map((codes) => String.fromCharCode(...codes));

const lineEnd = rarely('\r\n', fc.constantFrom('\n', '\r', '\r\r\n', '\n\r', ''), 60);
const version = mostly(
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/1.2',
  'HTTP/0.9',
  'HTTP/2.0',
  'http/1.1',
  'HTTP/1.10',
  'ICY',
  'HTTP',
);
const status = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom('200', '201', '204', '304', '404', '409', '500') },
  { weight: 2, arbitrary: fc.integer({ min: 200, max: 999 }).map(String) },
  { weight: 1, arbitrary: fc.constantFrom('000', '042', '20', '2000', '-20', '2x0', '', '101') },
);
const reason = rarely(
  ' OK',
  fc.oneof(
    fc.constantFrom('', ' ', '  two', '\tOK'),
    bytes(6).map((text) => ` ${text}`),
  ),
);
const statusLine = fc.tuple(version, mostly(' ', '', '  ', '\t'), status, reason).map((parts) => parts.join(''));

const name = fc.constantFrom(
  'X-A',
  'x-a',
  'Warning',
  'Content-Type',
  'constructor',
  '__proto__',
  'toString',
  'X_Y',
  '!#$',
  'Set-Cookie',
);
const oddName = fc.constantFrom('', 'A B', 'A:', 'Ä', 'X-A ', ' X-A', '\tX-A', 'X\0', '(x)');
const value = fc.oneof(
  { weight: 8, arbitrary: plain(12) },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', '\t', ' a ', '\xa0a\xa0', 'a\tb', '\xff') },
  { weight: 1, arbitrary: bytes(8) },
);
const blank = mostly(' ', '', '\t', '  ');
const ordinary = fc
  .tuple(rarely('', oddName, 30), name, mostly(':', ' :', '::', ''), blank, value)
  .map(([odd, usual, colon, space, text]) => `${odd || usual}${colon}${space}${text}`);
const folded = fc.tuple(name, plain(6)).map(([first, text]) => `${first}: a\r\n ${text}`);
const connection = fc
  .tuple(
    fc.constantFrom('Connection', 'connection', 'CONNECTION'),
    fc.constantFrom(
      'close',
      'Close',
      'keep-alive',
      'Keep-Alive',
      'close, x',
      'x,close',
      'x ,\tclose',
      'closed',
      'not-close',
      'keep-alive, close',
      '',
      'upgrade',
    ),
  )
  .map(([header, text]) => `${header}: ${text}`);
const header = fc.oneof(
  { weight: 10, arbitrary: ordinary },
  { weight: 4, arbitrary: connection },
  { weight: 1, arbitrary: folded },
  { weight: 1, arbitrary: plain(10) },
);

/** A head: its lines, each with its end. */
function head(first: fc.Arbitrary<string>, more: fc.Arbitrary<string[]>): fc.Arbitrary<string> {
  return fc
    .tuple(first, more, fc.array(lineEnd, { minLength: 6, maxLength: 6 }), lineEnd)
    .map(([line, headers, ends, last]) => {
      const lines = [line, ...headers];
      return lines.map((text, i) => text + (ends[i % ends.length] as string)).join('') + last;
    });
}

const notice = head(
  fc
    .tuple(version, fc.constantFrom('100', '102', '103', '199', '101'), reason)
    .map(([v, code, r]) => `${v} ${code}${r}`),
  fc.array(header, { maxLength: 1 }),
);

const trailer = rarely<string[]>([], fc.array(header, { maxLength: 3 }), 3);
const chunkSize = (length: number) =>
  fc.oneof(
    {
      weight: 14,
      arbitrary: fc.constantFrom(length.toString(16), length.toString(16).toUpperCase(), `00${length.toString(16)}`),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        `+${length}`,
        `0x${length}`,
        `${length} `,
        ` ${length}`,
        `${length + 1}`,
        '',
        '-1',
        'ffffffffffff',
        'fffffffffffffffff',
        'g',
        `${length}\t`,
        `${length}_0`,
      ),
    },
  );
const extension = rarely(
  '',
  fc.oneof(
    fc.constantFrom(';a', ';a=b', ';a="b;c"', ' ;a', ';', ';;', ';a=\n', ';\r'),
    bytes(5).map((text) => `;${text}`),
  ),
);
const chunk = plain(9).chain((text) =>
  fc
    .tuple(chunkSize(text.length), extension, lineEnd, lineEnd)
    .map(([size, more, first, last]) => (text === '' ? '' : `${size}${more}${first}${text}${last}`)),
);
const chunks = fc
  .tuple(fc.array(chunk, { maxLength: 4 }), mostly('0', '00', '', '0;a', '0 '), lineEnd, trailer, lineEnd)
  .map(
    ([list, zero, end, trailers, last]) =>
      `${list.join('')}${zero}${end}${trailers.map((line) => line + end).join('')}${last}`,
  );

const lengthOf = (length: number) =>
  fc.oneof(
    { weight: 14, arbitrary: fc.constant([`Content-Length: ${length}`]) },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        [`content-length:${length}`],
        [`Content-Length: ${length}`, `Content-Length: ${length}`],
        [`Content-Length: ${length}`, `Content-Length: ${length + 1}`],
        [`Content-Length: ${length}, ${length}`],
        [`Content-Length: ${length + 3}`],
        [`Content-Length: ${Math.max(0, length - 2)}`],
        [`Content-Length: 0${length}`],
        [`Content-Length: +${length}`],
        [`Content-Length: -${length}`],
        [`Content-Length: 0x${length}`],
        [`Content-Length: ${length}.0`],
        ['Content-Length: '],
        [`Content-Length : ${length}`],
        [`Content-Length: ${length} `],
        ['Content-Length: 99999999999999999999'],
        [`Content-Length: ${length}`, 'Transfer-Encoding: chunked'],
        [`X: a\nContent-Length: ${length}`],
      ),
    },
  );
const encoding = fc.oneof(
  { weight: 14, arbitrary: fc.constant(['Transfer-Encoding: chunked']) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ['transfer-encoding:CHUNKED'],
      ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'],
      ['Transfer-Encoding: gzip, chunked'],
      ['Transfer-Encoding: chunked, gzip'],
      ['Transfer-Encoding: identity'],
      ['Transfer-Encoding: xchunked'],
      ['Transfer-Encoding: \tchunked '],
      ['Transfer-Encoding : chunked'],
      ['Transfer-Encoding:'],
      ['Transfer-Encoding: chunked', 'Content-Length: 3'],
      ['Transfer-Encoding: chunked;a=b'],
      ['X: a\nTransfer-Encoding: chunked'],
    ),
  },
);

const body = fc.oneof(
  {
    weight: 4,
    arbitrary: rarely('', bytes(30), 1).chain((text) => fc.tuple(lengthOf(text.length), fc.constant(text))),
  },
  { weight: 4, arbitrary: fc.tuple(encoding, chunks) },
  { weight: 1, arbitrary: fc.tuple(fc.constant<string[]>([]), bytes(20)) },
);

/** Heads about as long as they may be. */
const long = fc
  .tuple(fc.integer({ min: 65_400, max: 65_600 }), fc.boolean())
  .map(([length, inTrailer]) =>
    inTrailer
      ? `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ${'x'.repeat(length)}\r\n\r\n`
      : `HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: ${'x'.repeat(length)}\r\n\r\n`,
  );

const inOrder = body.chain(([framing, text]) =>
  fc
    .tuple(
      rarely('', notice, 6),
      head(
        statusLine,
        fc.array(header, { maxLength: 3 }).map((some) => [...framing, ...some]),
      ),
    )
    .map(([before, first]) => before + first + text),
);

/** A byte left out, put in, changed or doubled. */
const slip = fc.tuple(
  fc.nat(400),
  fc.constantFrom('drop', 'add', 'change', 'double'),
  fc.constantFrom('\r', '\n', ' ', ':', '0', '\0', '\t', 'a', '\x7f', '\x80'),
);
function withSlip(text: string, [place, what, byte]: readonly [number, string, string]): string {
  const at = text.length === 0 ? 0 : place % text.length;
  const rest = what === 'add' ? text.slice(at) : text.slice(at + 1);
  const put = { drop: '', add: byte, change: byte, double: `${text[at] ?? ''}${text[at] ?? ''}` }[what] ?? '';
  return text.slice(0, at) + put + rest;
}

/** What comes right behind an answer though nobody asked. */
const behind = rarely(
  '',
  fc.oneof(
    fc.constantFrom(
      '\r\n',
      '\n',
      ' ',
      'HTTP/1.1 200 OK\r\nContent-Le',
      'HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nsmug',
      'HTTP/1.1 100 Continue\r\n\r\n',
      'HTTP/1.1 200 OK\r\n\r\nsmuggled',
    ),
    bytes(5),
    inOrder,
  ),
  4,
);

const text = fc
  .tuple(
    fc.oneof(
      { weight: 4000, arbitrary: inOrder },
      { weight: 1, arbitrary: long },
      { weight: 40, arbitrary: bytes(60) },
    ),
    rarely<(readonly [number, string, string])[]>([], fc.array(slip, { minLength: 1, maxLength: 2 }), 3),
    behind,
  )
  .map(([answer, slips, more]) => slips.reduce<string>(withSlip, answer) + more);

const LONGEST_IN_BYTES = 600;

function cutAt(whole: string, cuts: readonly number[] | 'every byte'): string[] {
  if (cuts === 'every byte' && whole.length <= LONGEST_IN_BYTES) return [...whole];
  const places = typeof cuts === 'string' ? [] : cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b);
  const all = [0, ...new Set(places), whole.length];
  return all
    .slice(1)
    .map((end, i) => whole.slice(all[i], end))
    .filter((piece) => piece !== '');
}

/** One answer, in whatever pieces. */
export const served: fc.Arbitrary<Served> = fc
  .tuple(
    text,
    fc.oneof(
      { weight: 2, arbitrary: fc.constant<number[]>([]) },
      { weight: 2, arbitrary: fc.array(fc.nat(300), { maxLength: 5 }) },
      { weight: 1, arbitrary: fc.constant('every byte' as const) },
    ),
    rarely(false, fc.constant(true), 5),
    mostly<Served['after']>('stays', 'ends', 'ends', 'breaks'),
  )
  .map(([whole, cuts, apart, after]) => ({ pieces: cutAt(whole, cuts), apart, after }));
