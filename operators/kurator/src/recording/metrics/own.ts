/** Metrics of the healer itself. */
import type { Ward } from '../../healing/ward.ts';
import { type Family, given, single } from './family.ts';

export function ownFamilies(ward: Ward): Family[] {
  return [
    {
      type: 'gauge',
      name: 'kurator_heartbeat_timestamp_seconds',
      help: 'When the healer last looked around; alert when it is older than a minute',
      labels: [],
      samples: () => single(ward.lookedAt / 1000),
    },
    {
      type: 'gauge',
      name: 'kurator_watches_current_timestamp_seconds',
      help: 'The moment that the caches surely show; nothing is repaired when it is long ago',
      labels: [],
      samples: () => single(ward.contact.currentAt() / 1000),
    },
    {
      type: 'gauge',
      name: 'kurator_storm',
      help: '1 while so much fails at once that the services are hardly the cause',
      labels: [],
      samples: () => single(Number(ward.weather.stormSince !== undefined)),
    },
    {
      type: 'gauge',
      name: 'kurator_switch',
      help: "1 for what the cluster's switch says: Off, Observe or On",
      labels: ['mode'],
      samples: () => given({ mode: ward.mode }, 1),
    },
    {
      type: 'gauge',
      name: 'kurator_services',
      help: 'Services that are looked after',
      labels: [],
      samples: () => single([...ward.minds.all()].length),
    },
  ];
}
