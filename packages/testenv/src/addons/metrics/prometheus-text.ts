import { TestenvError } from '../../error.ts';

/** One line of a Prometheus page. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** Milliseconds since 1970, where the page says when the value was taken. */
  readonly timestamp: number | undefined;
}

const line =
  /^(?<name>[a-zA-Z_:][a-zA-Z0-9_:]*)\s*(?:\{(?<labels>.*)\})?\s*(?<value>\S+)(?:\s+(?<timestamp>-?\d+))?\s*$/;
const label = /\s*(?<name>[a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"(?<value>(?:[^"\\]|\\.)*)"\s*(?:,|$)/y;
const escapes: Record<string, string> = { n: '\n', '\\': '\\', '"': '"' };
const words: Record<string, number> = {
  '+Inf': Number.POSITIVE_INFINITY,
  Inf: Number.POSITIVE_INFINITY,
  '-Inf': Number.NEGATIVE_INFINITY,
  NaN: Number.NaN,
};

/** Reads the Prometheus text format, version 0.0.4; comments, and with them types and help, are left out. */
export function parsePrometheusText(text: string): Sample[] {
  return text.split('\n').flatMap((content, index) => {
    const trimmed = content.trim();
    return trimmed === '' || trimmed.startsWith('#') ? [] : [parseLine(trimmed, index + 1)];
  });
}

function parseLine(content: string, number: number): Sample {
  const parts = line.exec(content)?.groups;
  const labels = parts && parseLabels(parts.labels ?? '');
  const value = parts && parseValue(parts.value ?? '');
  if (!labels || value === undefined) {
    throw new TestenvError('KUR_TESTENV_METRICS_TEXT', `line ${number} is not in the Prometheus text format`);
  }
  const timestamp = parts.timestamp === undefined ? undefined : Number(parts.timestamp);
  return { name: parts.name ?? '', labels, value, timestamp };
}

function parseLabels(text: string): Record<string, string> | undefined {
  const labels: Record<string, string> = {};
  let position = 0;
  while (position < text.trimEnd().length) {
    label.lastIndex = position;
    const parts = label.exec(text)?.groups;
    if (!parts) return undefined;
    labels[parts.name ?? ''] = (parts.value ?? '').replace(
      /\\(.)/g,
      (whole, letter: string) => escapes[letter] ?? whole,
    );
    position = label.lastIndex;
  }
  return labels;
}

function parseValue(text: string): number | undefined {
  const value = words[text] ?? Number(text);
  return Number.isNaN(value) && text !== 'NaN' ? undefined : value;
}
