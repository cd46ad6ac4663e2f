// A whole A2A agent: a function, and the library around it.
import { InputRequired, startAgent } from '@stopgo/a2a-agent/agent';

const agent = await startAgent({
  name: 'converter',
  description: 'Converts temperatures: of "20 C" it makes "68 F".',
  port: Number(process.env.PORT ?? 8090),
  process: ({ said }) => {
    const [, degrees, unit] = /(-?\d+) *([CF]\b)?/.exec(said.join(' ')) ?? [];
    if (degrees === undefined) throw new Error('there is no temperature in the message');
    if (unit === undefined) throw new InputRequired('Is that C or F?');
    return unit === 'C' ? `${Math.round(degrees * 1.8 + 32)} F` : `${Math.round((degrees - 32) / 1.8)} C`;
  },
});
console.log(`listening on ${agent.address}`);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => agent.stop());
