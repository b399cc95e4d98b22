/** How much the healer may do in a whole cluster, as whoever installs it says. */
import { parseDuration, z } from '@kurator/sdk';
import type { ClusterSpec } from '../brain/spec.ts';
import { clusterDefaults } from '../brain/spec-defaults.ts';

const length = z.string().transform((text, context) => {
  try {
    return parseDuration(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'must be a length of time such as 10m' });
    return z.NEVER;
  }
});
const share = z.number().min(0).max(1);
const count = z.int().min(1);

const fields = z.strictObject({
  repairs: z.int().min(0).optional(),
  per: length.optional(),
  concurrent: count.optional(),
  namespaceShare: share.optional(),
  storm: z
    .strictObject({ share, services: count, within: length, concurrent: count, coolDown: length, calm: length })
    .partial()
    .optional(),
});

/**
 * The limits of a whole cluster. Throws for what is none, and names it.
 *
 * @param text JSON: `{"repairs":60,"per":"1h","concurrent":5,"storm":{"share":0.3}}`; what is left out has its default.
 */
export function limitsFrom(text: string): ClusterSpec {
  const parsed = fields.safeParse(jsonIn(text));
  if (!parsed.success) throw new Error(`the limits are not as they should be: ${z.prettifyError(parsed.error)}`);
  const { repairs, per, storm, ...rest } = given(parsed.data);
  const budget = given({ repairs, per });
  return {
    ...clusterDefaults,
    ...rest,
    budget: { ...clusterDefaults.budget, ...budget },
    storm: { ...clusterDefaults.storm, ...given(storm ?? {}) },
  };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error('the limits are no JSON: write {"concurrent":5}', { cause });
  }
}

type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}
