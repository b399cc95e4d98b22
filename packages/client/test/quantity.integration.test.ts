// The API server writes quantities in canonical form: ours must be the same text.
import { formatQuantity, parseQuantity, resourceType, type UntypedObject } from '@kurator/client';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { place } from './api-server.ts';

// A kind that takes many quantities and doesn't round them, as requests and limits are rounded.
const HorizontalPodAutoscaler = resourceType<UntypedObject>('autoscaling/v2', 'HorizontalPodAutoscaler');

const whole = fc.integer({ min: 1, max: 5000 }).map(String);
const decimal = fc.tuple(whole, fc.nat({ max: 99999 })).map((parts) => parts.join('.'));
const suffix = fc.constantFrom('', ...'numkMGTPE', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei', 'e3', 'E2', 'e-4', 'e12');
const text = fc.tuple(fc.oneof(whole, decimal), suffix).map((parts) => parts.join(''));
// There is no suffix above E: the server takes 5000E for 5 thousand E, and writes 5.
const isBeyondSuffixes = (quantity: string) => quantity.endsWith('E') && Number.parseFloat(quantity) >= 1000;
const edges = ['0.1', '1000', '1024Mi', '0.5Ki', '1.0001Ki', '15e2', '5e-10', '100E', '1000Ei', '12345678901234567890'];

it('writes quantities as the API server does', async () => {
  await using here = await place();
  const { client, namespace } = here;
  const given = [...edges, ...fc.sample(text, 500).filter((quantity) => !isBeyondSuffixes(quantity))];
  const metric = (value: string) => ({
    type: 'External',
    external: { metric: { name: 'm' }, target: { type: 'Value', value } },
  });
  const spec = {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
    maxReplicas: 1,
    metrics: given.map(metric),
  };
  const metadata = { name: 'quantities', namespace };
  const stored = await client.create(HorizontalPodAutoscaler, { metadata, spec }, { dryRun: true });
  const theirs = stored.spec.metrics.map((one: ReturnType<typeof metric>) => one.external.target.value);
  // A shortcut in the server echoes some texts, such as 3813.453 and 1E6, without making them canonical.
  const rewritten = given.flatMap((before, index) => (theirs[index] === before ? [] : [[before, theirs[index]]]));
  expect(rewritten.length).toBeGreaterThan(100);
  expect(rewritten.map(([before = '']) => [before, formatQuantity(parseQuantity(before))])).toEqual(rewritten);
});
