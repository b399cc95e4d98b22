/** Makes a cluster from the options in its first argument, says `ready`, and holds it until this process dies. */
import { createCluster } from '@kurator/testenv';

await createCluster(JSON.parse(process.argv[2] ?? '{}'));
console.log('ready');
setInterval(() => {}, 60_000);
