/** The healer as its users run it, but for one thing: less rest between two repairs in a storm, so that twelve take no minutes. */
import { clusterDefaults } from '../../../operators/kurator/src/brain/index.ts';
import { healer } from '../../../operators/kurator/src/index.ts';

const storm = { ...clusterDefaults.storm, coolDown: 3000 };
await healer({ cluster: { ...clusterDefaults, storm } }).run();
