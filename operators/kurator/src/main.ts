import { runAgent, wardOptionsFrom } from './agent/program.ts';
import { healer } from './healing/healer.ts';

if (process.argv[2] === 'agent') await runAgent(process.env);
else await healer(await wardOptionsFrom(process.env)).run();
