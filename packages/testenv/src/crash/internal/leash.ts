/** Loaded before an operator under test: it ends with the test that started it, however that ends. */
import { flushCompileCache } from 'node:module';
import { identify, signalProcess } from '../../process/process-identity.ts';

process.once('disconnect', () => signalProcess(identify(process.pid), 'SIGKILL'));
process.channel?.unref();
// A process that is killed leaves no compiled code behind, and every later one would compile it all again.
setTimeout(() => flushCompileCache(), 1000).unref();
