import { myapp } from './index.ts';

await myapp.run();
