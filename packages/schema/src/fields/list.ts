/** Lists and maps that Kubernetes can tell more about than zod: sets, lists with keys, maps with a bound. */
import { z } from 'zod';
import { marked } from '../mark.ts';

type Scalar = string | number | boolean;

/** A list in which each value occurs once. Several writers can each apply their own values to it. */
export function uniqueList<Item extends z.ZodType<Scalar>>(item: Item): z.ZodArray<Item> {
  return marked(z.array(item), { is: 'set' }, (values) => {
    const again = duplicate(values.map((value) => JSON.stringify(value)));
    return again === undefined ? undefined : `${again} occurs twice`;
  });
}

/**
 * A list of objects that are told apart by some of their fields, as containers are by their names. Several writers can
 * each apply their own items to it, and `immutable` works inside.
 */
export function listMap<Item extends z.ZodObject>(
  item: Item,
  keys: readonly [keyof Item['shape'] & string, ...(keyof Item['shape'] & string)[]],
): z.ZodArray<Item> {
  return marked(z.array(item), { is: 'list-map', keys }, (items) => {
    const again = duplicate(
      items.map((each) => keys.map((key) => JSON.stringify((each as Record<string, unknown>)[key])).join()),
    );
    return again === undefined ? undefined : `two items have the same ${keys.join(' and ')}: ${again}`;
  });
}

/** How many entries a map may have. */
export interface MapOptions {
  /** 0 unless given. */
  min?: number;
  /** Any number unless given. Rules inside maps often need a bound. */
  max?: number;
}

/** A map from keys to values, like `z.record`, with a bound. */
export function mapOf<Key extends z.ZodType<string, string>, Value extends z.ZodType>(
  key: Key,
  value: Value,
  { min, max }: MapOptions = {},
): z.ZodRecord<Key, Value> {
  const size = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  return marked(z.record(key, value), { is: 'size', ...size }, (entries) => {
    const count = Object.keys(entries as object).length;
    if (min !== undefined && count < min) return `must have at least ${min} entries`;
    return max !== undefined && count > max ? `must have at most ${max} entries` : undefined;
  });
}

function duplicate(texts: readonly string[]): string | undefined {
  return texts.find((text, index) => texts.indexOf(text) < index);
}
