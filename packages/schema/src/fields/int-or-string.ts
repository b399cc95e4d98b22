/** Fields that take a number or a text, as ports and rollout limits do in Kubernetes. */
import { z } from 'zod';

/** An integer or a string, for example a port by its number or its name. Narrow either side by giving your own schema. */
export function intOrString<Int extends z.ZodType<number> = z.ZodInt, Text extends z.ZodType<string> = z.ZodString>(
  int: Int = z.int() as unknown as Int,
  text: Text = z.string() as unknown as Text,
): z.ZodUnion<[Int, Text]> {
  return z.union([int, text]);
}

/** A number of things, or a part of them: `2`, `"25%"`. */
export function intOrPercent() {
  const percent = z.string().regex(/^(?:100|[1-9]?[0-9])%$/, 'must be a number, or a percentage such as 25%');
  return intOrString(z.int32().min(0), percent);
}
