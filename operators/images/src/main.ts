/** The operator. */
import { images } from './index.ts';

await images.run();
