/** Lost packets, parted networks, pulled cables. */
import type { DropRequest, PartitionRequest, UnplugRequest } from '../requests/packets.ts';
import type { Fault, Inject } from './fault.ts';
import { findMachine, machineNamespace, networkOf } from './machine-target.ts';
import { dropVerdict, type PlacedSelector, selectorsBetween } from './packet-selectors.ts';
import { addressesOf, placesOf } from './place.ts';
import { addRules } from './rules.ts';

/** See {@link DropRequest}. */
export const drop: Inject<DropRequest> = async (request, fault) => {
  const { cluster } = fault;
  const { port, protocol = 'tcp', bothWays = false } = request;
  const [from, to, spared] = await Promise.all([
    placesOf(cluster, request.from),
    placesOf(cluster, request.to),
    addressesOf(cluster, request.except),
  ]);
  const selectors = selectorsBetween({ from, to, bothWays, protocol, ...(port === undefined ? {} : { port }) });
  await dropOnMachines(fault, selectors, spared, request.percent);
};

/** See {@link PartitionRequest}. */
export const partition: Inject<PartitionRequest> = async ({ groups }, fault) => {
  const places = await Promise.all(
    groups.map((group) =>
      placesOf(
        fault.cluster,
        group.map((node) => ({ node })),
      ),
    ),
  );
  const selectors = places.flatMap((from, index) =>
    places.slice(index + 1).flatMap((to) => selectorsBetween({ from, to, bothWays: true, protocol: 'tcp' })),
  );
  await dropOnMachines(fault, selectors, [], 100);
};

/** See {@link UnplugRequest}. */
export const unplug: Inject<UnplugRequest> = async ({ node }, fault) => {
  const network = networkOf(fault.cluster);
  const { name } = findMachine(fault.cluster, node);
  fault.claim(`cable/${name}`);
  fault.onHeal(() => network.setCable(name, 'up'));
  await network.setCable(name, 'down');
};

async function dropOnMachines(
  fault: Fault,
  selectors: readonly PlacedSelector[],
  spared: readonly string[],
  percent: number,
): Promise<void> {
  for (const name of new Set(selectors.map(({ machine }) => machine))) {
    const machine = findMachine(fault.cluster, name);
    await addRules(fault, async () => machineNamespace(machine), {
      table: 'mangle',
      id: fault.id,
      selectors: selectors.filter((selector) => selector.machine === name),
      spared,
      verdict: dropVerdict(percent),
    });
  }
}
