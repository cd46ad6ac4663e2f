import { startAgent } from '@stopgo/a2a-agent/agent';
import { process as act, reply } from './script.ts';

const port = Number(process.argv[2] ?? 0);
const agent = await startAgent({
  name: 'conformance',
  description: 'Does what the kit asks for.',
  port,
  grpcPort: port === 0 ? 0 : port + 1,
  process: act,
  reply,
  streaming: process.env.NO_STREAM === undefined,
});
console.log(`listening on ${agent.address}`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void agent.stop());
