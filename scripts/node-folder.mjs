/** Prints the folder of the Node that this repository runs on: `export PATH="$(npm run -s node-folder):$PATH"`. */
import { dirname } from 'node:path';

console.log(dirname(process.execPath));
