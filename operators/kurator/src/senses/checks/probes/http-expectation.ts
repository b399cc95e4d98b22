/** Is this answer a healthy one? */
import type { HttpExpectation } from '../check.ts';
import { must } from '../check.ts';
import type { ErrorKind } from '../error-kind.ts';
import { compilePattern, matchPattern } from './body-pattern.ts';
import type { ResponseReader } from './http-response.ts';

type StatusRange = readonly [from: number, to: number];

/** An expectation made ready once for all runs. */
export interface ExpectationPlan {
  readonly statuses: readonly StatusRange[];
  readonly headers: readonly (readonly [name: string, text: string])[];
  readonly contains: string | undefined;
  readonly pattern: RegExp | undefined;
  readonly bodyBytes: number;
  readonly needsBody: boolean;
}

type Answer = Pick<ResponseReader, 'status' | 'headers' | 'body' | 'cut'>;
type Mismatch = { readonly kind: ErrorKind; readonly message: string } | undefined;

const isStatus = (status: number) => Number.isInteger(status) && status >= 100 && status <= 599;

/** Throws `InvalidCheck` for what no answer could ever be measured by. */
export function expectationPlanOf(expect: HttpExpectation = {}): ExpectationPlan {
  const { statuses = [[200, 399]], headers = {}, bodyContains: contains, bodyMatches, bodyBytes = 65_536 } = expect;
  for (const [from, to] of statuses) {
    must(isStatus(from) && isStatus(to) && from <= to, `expect.statuses: ${from} to ${to} is no range from 100 to 599`);
  }
  must(statuses.length > 0, 'expect.statuses must have a range: leave it out for 200 to 399');
  must(
    Number.isInteger(bodyBytes) && bodyBytes >= 1 && bodyBytes <= 1_048_576,
    `expect.bodyBytes must be a whole number from 1 to 1048576, not ${bodyBytes}`,
  );
  return {
    statuses,
    headers: Object.entries(headers).map(([name, text]) => [name.toLowerCase(), text]),
    contains,
    pattern: bodyMatches === undefined ? undefined : compilePattern(bodyMatches),
    bodyBytes,
    needsBody: contains !== undefined || bodyMatches !== undefined,
  };
}

/** What is wrong with the answer; undefined when nothing is. */
export function judge(answer: Answer, plan: ExpectationPlan): Mismatch {
  return wrongStatus(answer, plan) ?? wrongHeader(answer, plan) ?? wrongBody(answer, plan);
}

function wrongStatus({ status, headers }: Answer, { statuses }: ExpectationPlan): Mismatch {
  if (statuses.some(([from, to]) => status >= from && status <= to)) return undefined;
  const location = headers.get('location');
  const where = location === undefined ? '' : `, redirecting to ${location}`;
  const wanted = statuses.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
  return { kind: 'status', message: `status ${status}${where}; expected ${wanted}` };
}

function wrongHeader({ headers }: Answer, plan: ExpectationPlan): Mismatch {
  for (const [name, text] of plan.headers) {
    const value = headers.get(name);
    if (value === undefined) return { kind: 'header', message: `header ${name} is missing` };
    if (!value.includes(text)) return { kind: 'header', message: `header ${name} is ${JSON.stringify(value)}` };
  }
  return undefined;
}

function wrongBody({ body, cut }: Answer, { contains, pattern, needsBody }: ExpectationPlan): Mismatch {
  if (!needsBody) return undefined;
  const text = Buffer.from(body, 'latin1').toString('utf8');
  const where = cut ? `the first ${body.length} bytes of the body` : 'the body';
  if (contains !== undefined && !text.includes(contains)) {
    return { kind: 'body', message: `${where} does not contain ${JSON.stringify(contains)}` };
  }
  const match = pattern ? matchPattern(pattern, text) : 'yes';
  if (match === 'too-slow')
    return { kind: 'pattern-timeout', message: `${pattern} takes more than 50 ms for ${where}` };
  return match === 'yes' ? undefined : { kind: 'body', message: `${where} does not match ${pattern}` };
}
