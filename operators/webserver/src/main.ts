import { webserver } from './index.ts';

await webserver.run();
