/** The healer as its users run it, but for one thing: less rest between two repairs in a storm, so that twelve take no minutes. */

import { healer } from '@kurator/operator-kurator';
import { clusterDefaults } from '@kurator/operator-kurator/brain';

const storm = { ...clusterDefaults.storm, coolDown: 3000 };
await healer({ cluster: { ...clusterDefaults, storm } }).run();
