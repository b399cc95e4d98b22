/** Reads one number out of Prometheus' text format. */

const line = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[^}]*\})?\s+(\S+)/;

/** The sum of all series of a metric; undefined where there is none. */
export function metricIn(text: string, name: string): number | undefined {
  let total: number | undefined;
  for (const row of text.split('\n')) {
    if (!row.startsWith(name)) continue;
    const [, found, , value = ''] = line.exec(row) ?? [];
    const number = Number(value);
    if (found === name && Number.isFinite(number)) total = (total ?? 0) + number;
  }
  return total;
}
