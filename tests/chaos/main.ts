// Kills, freezes and restarts every part of the platform and cuts it off from NATS while people talk to it, and checks from
// outside what became of it. Exit code 1 if a promise was broken.
import { flagsOf, misused, readFlags, wholeNumber } from '../../scripts/flags.mjs';
import { chaos } from './chaos.ts';
import { mutantOf, mutants } from './mutants.ts';
import { findNatsServer } from './nats-server.ts';
import { bundlePrograms } from './programs.ts';
import { medianAndMax } from './recovery.ts';
import { type Part, parts } from './schedule.ts';

const usage = `usage: npm run chaos -- [--seed N] [--faults N] [--cuts N] [--conversations N] [--cut-ms N] [--parts LIST]
  [--replicas N] [--embedded] [--mutant NAME] [--keep]
LIST: of ${parts.join(', ')}; mutants: ${Object.keys(mutants).join(', ')}`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const values = flagsOf(usage, {
  seed: { type: 'string' },
  faults: { type: 'string', default: '205' },
  cuts: { type: 'string', default: '5' },
  conversations: { type: 'string', default: '300' },
  // Longer than every time-out of the platform: no call waits longer than 30 s.
  'cut-ms': { type: 'string', default: '35000' },
  embedded: { type: 'boolean', default: false },
  parts: { type: 'string' },
  replicas: { type: 'string' },
  keep: { type: 'boolean', default: false },
  mutant: { type: 'string' },
});
const wanted = readFlags(usage, () => ({
  seed: wholeNumber('seed', values.seed) ?? Math.floor(Math.random() * 10 ** 9),
  faults: wholeNumber('faults', values.faults) ?? 0,
  cuts: wholeNumber('cuts', values.cuts) ?? 0,
  cutMs: wholeNumber('cut-ms', values['cut-ms']) ?? 0,
  conversations: wholeNumber('conversations', values.conversations) ?? 0,
  ...(values.replicas === undefined ? {} : { replicas: replicasOf(values.replicas) }),
  ...(values.parts === undefined ? {} : { parts: partsOf(values.parts) }),
}));
const mutant = readFlags(usage, () => (values.mutant === undefined ? [] : mutantOf(values.mutant)));
const { seed } = wanted;
const natsServer = findNatsServer();
if (natsServer === undefined && !values.embedded)
  misused(
    usage,
    'there is no nats-server on this machine: put one on the PATH, name it in STOPGO_NATS_SERVER, or add --embedded',
  );

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const begun = performance.now();
const bundle = await bundlePrograms(mutant);
try {
  say(`chaos with --seed ${seed}`);
  const found = await chaos({
    bundle,
    ...(natsServer === undefined || values.embedded ? {} : { natsServer }),
    ...wanted,
    say,
    keepEvidence: values.mutant === undefined,
    alwaysKeep: values.keep,
  });
  const counts = new Map<string, number>();
  for (const { name } of found.carried) counts.set(name, (counts.get(name) ?? 0) + 1);
  say(
    [...counts]
      .map(([name, count]) => `${name} ${count}`)
      .sort()
      .join(', '),
  );
  for (const violation of found.violations) say(`VIOLATION ${violation}`);
  const { violations, carried, conversations, trees, calls, inDoubt, recovered, notNow, demands, notices } = found;
  say(
    `${violations.length === 0 ? 'all promises kept' : `${violations.length} VIOLATIONS`}: faults ${carried.length}, ` +
      `kills ${carried.filter(({ name }) => name.startsWith('kill')).length}, conversations ${conversations}, ` +
      `runs of trees ${trees.runs} (${trees.waitedTogether} with several approvals at once, ` +
      `${trees.endedByRejection} ended by a rejection, ${trees.automatic} calls approved by policy), ` +
      `decided together ${demands.together}, nobody in time ${demands.expired}, reminders and escalations ${demands.told}, ` +
      `notices ${notices}, calls ${calls}, in doubt ${inDoubt}, recovered ${recovered}, told to ask again ${notNow}, ` +
      `seconds to go on ${medianAndMax(found.toGoOn)}, seconds to be taken over ${medianAndMax(found.toTakeOver)} ` +
      `(${found.toTakeOver.length}), amid other faults ${medianAndMax(found.toTakeOverAmidOthers)} ` +
      `(${found.toTakeOverAmidOthers.length}), seconds ${((performance.now() - begun) / 1_000).toFixed(0)}, seed ${seed}`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
} finally {
  bundle.remove();
}

function partsOf(list: string): Part[] {
  return list.split(',').map((name) => {
    const found = parts.find((part) => part === name);
    if (found === undefined) throw new Error(`--parts: there is no part "${name}"`);
    return found;
  });
}

function replicasOf(text: string): number {
  const replicas = wholeNumber('replicas', text) ?? 0;
  if (replicas < 1) throw new Error('--replicas takes 1 or more');
  return replicas;
}
