import { healer } from './healer/healer.ts';
import { healerOptionsFrom } from './healer/options.ts';
import { runAgent } from './senses/agents/agent-program.ts';

if (process.argv[2] === 'agent') await runAgent(process.env);
else await healer(await healerOptionsFrom(process.env)).run();
