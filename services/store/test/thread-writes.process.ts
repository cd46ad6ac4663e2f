// A process that has nothing to do but many appends, each written by the thread: says how many were acknowledged. Argument: its data
// directory.
import { parseStreamName } from '@stopgo/core';
import { byThread, openParts } from './sqlite-log.ts';
import { Story } from './story.ts';

const [dataDir = '', count = ''] = process.argv.slice(2);

const { events, close } = openParts(dataDir, undefined, undefined, undefined, byThread);
let acknowledged = 0;
while (acknowledged < Number(count)) {
  const { stream, ...append } = new Story().created();
  const { kind } = await events.append({ ...append, stream: parseStreamName(stream), requestDigest: '' });
  if (kind !== 'appended') throw new Error(`not appended but ${kind}`);
  acknowledged += 1;
}
await close();
console.log(acknowledged);
