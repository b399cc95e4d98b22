import { etcd } from './index.ts';

await etcd.run();
