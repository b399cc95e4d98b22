/** Finds out where the endpoints of a request are. */

import { run } from '../../internal/run.ts';
import { type Endpoint, listOf, type OneOrMore, type PodEndpoint } from '../requests/endpoint.ts';
import { findMachine, machineNamespace, networkOf, noTarget, rangesOf } from './machine-target.ts';
import type { Place, PodPlace } from './packet-selectors.ts';
import { findPod, type PodTarget, refuseHostNetwork } from './pod-target.ts';
import type { TargetCluster } from './target-cluster.ts';

/** Where some endpoints are now. */
export async function placesOf(cluster: TargetCluster, endpoints: OneOrMore<Endpoint> | undefined): Promise<Place[]> {
  return await Promise.all(listOf(endpoints).map((endpoint) => placeOf(cluster, endpoint)));
}

/** Every address of some endpoints. */
export async function addressesOf(
  cluster: TargetCluster,
  endpoints: OneOrMore<Endpoint> | undefined,
): Promise<string[]> {
  return (await placesOf(cluster, endpoints)).flatMap((place) => place.ranges);
}

async function placeOf(cluster: TargetCluster, endpoint: Endpoint): Promise<Place> {
  if ('pod' in endpoint) return await podPlace(cluster, endpoint);
  if ('address' in endpoint) return { kind: 'range', ranges: [endpoint.address] };
  const { node, pods = true } = endpoint;
  const machine = findMachine(cluster, node);
  return {
    kind: 'machine',
    machine: machine.name,
    pods,
    ranges: rangesOf(networkOf(cluster).plan, cluster, machine, pods),
  };
}

async function podPlace(cluster: TargetCluster, endpoint: PodEndpoint): Promise<PodPlace> {
  const pod = await findPod(cluster, endpoint);
  refuseHostNetwork(pod);
  const { machine } = pod.node;
  const address = podAddress(pod);
  const route = ['ip', '-json', 'route', 'get', address];
  const { stdout } = await run('nsenter', [`--net=${machineNamespace(machine)}`, '--', ...route]);
  const [{ dev: device }] = JSON.parse(stdout) as [{ dev: string }];
  // A dead pod's address has no cable of its own any more, and leads out of the node or nowhere.
  if (device === 'eth0') throw noTarget(`pod ${pod.title} has no network any more`);
  return { kind: 'pod', machine: machine.name, device, ranges: [address] };
}

/** A pod's own address. */
export function podAddress({ object, title }: PodTarget): string {
  const address = object.status?.podIP;
  if (address) return address;
  throw noTarget(`pod ${title} has no address yet`, 'wait until it runs');
}
