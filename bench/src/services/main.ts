// `npm run bench:services [-- --short | --quick] [--only turns|calls|takeover|stored]`; a quick one writes nothing.
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { describeMachine } from '../machine.ts';
import { type Model, startModel } from '../platform.ts';
import { countCalls, measureServices } from './measure.ts';
import { measureStored } from './measure-stored.ts';
import { measureTakeover } from './measure-takeover.ts';
import { markdown, type Results } from './report.ts';
import { full, quick, short } from './sizes.ts';

/** Everything together must be done by then, in milliseconds. */
const wholeRunMs = 30 * 60_000;
const parts = ['turns', 'calls', 'takeover', 'stored'] as const;
type Part = (typeof parts)[number];

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
const only = parts.find((part) => part === values.only);
if (values.only !== undefined && only === undefined) {
  process.stderr.write(`bench: --only takes one of ${parts.join(', ')}, not "${values.only}"\n`);
  process.exit(2);
}
const wanted = (part: Part): boolean => only === undefined || only === part;

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
setTimeout(() => {
  process.stderr.write(`bench: not done within ${wholeRunMs / 60_000} minutes\n`);
  process.exit(1);
}, wholeRunMs).unref();

const model = await startModel();
const results = await run(model).finally(() => model.stop());
const page = markdown(results);
process.stdout.write(`\n${page}`);
if (!values.quick && only === undefined) {
  const folder = new URL('../../results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${results.date}-services.md`, folder), page);
  writeFileSync(new URL(`${results.date}-services.json`, folder), `${JSON.stringify(results, undefined, 2)}\n`);
}

async function run(model: Model): Promise<Results> {
  const sizes = values.quick ? quick : values.short ? short : full;
  const results: Results = { date: new Date().toISOString().slice(0, 10), machine: describeMachine() };
  if (wanted('turns')) results.services = await measureServices(model, sizes, say);
  if (wanted('calls')) {
    say('counting the internal calls of a turn');
    const shape = { orchestrators: 2, stores: 2 };
    results.calls = { shape, perTurn: await countCalls(model, shape, sizes.countedTurns) };
  }
  if (wanted('takeover')) {
    say('killing a driver');
    results.takeover = await measureTakeover(model, sizes.takeover);
  }
  if (wanted('stored')) {
    say(`storing ${sizes.storedSizes.stored} conversations`);
    results.stored = await measureStored(model, { orchestrators: 1, stores: 1 }, sizes.storedSizes);
  }
  return results;
}

function say(text: string): void {
  process.stderr.write(`bench: ${text}\n`);
}
