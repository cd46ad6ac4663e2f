// A whole agent as a program, for tests that end it: it answers when it is told to on its standard input.
import { once } from 'node:events';
import { startAgent } from '../src/agent/index.ts';

const agent = await startAgent({
  name: 'slow',
  description: '',
  process: async ({ text }) => {
    console.log('working');
    await once(process.stdin, 'end');
    return `${text}, ${text}`;
  },
});
process.stdin.resume();
console.log(`listening on ${agent.address}`);
process.once('SIGTERM', () => {
  void agent.stop();
  console.log('stopping');
});
