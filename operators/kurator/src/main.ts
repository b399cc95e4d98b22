import { healer } from './healing/healer.ts';

await healer().run();
