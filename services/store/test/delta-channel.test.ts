import { Deltas } from '../src/deltas.ts';
import { always, deltaChannelContract } from './delta-channel.contract.ts';

deltaChannelContract('in the process', always, async () => {
  const channel = new Deltas();
  return { one: channel, other: channel, stop: () => channel.close(), close: async () => channel.close() };
});
