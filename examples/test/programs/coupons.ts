import { example } from '../../src/random-names.ts';

await example.run();
