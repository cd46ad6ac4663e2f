// Kills, freezes and restarts every part of the platform and cuts it off from NATS while people talk to it, and checks from
// outside what became of it. Exit code 1 if a promise was broken.
//
// Usage: main.ts [--seed N] [--faults N] [--cuts N] [--conversations N] [--cut-ms N] [--parts LIST]
//   [--replicas N] [--embedded] [--mutant NAME] [--keep]
import { parseArgs } from 'node:util';
import { chaos } from './chaos.ts';
import { mutantOf } from './mutants.ts';
import { findNatsServer } from './nats-server.ts';
import { bundlePrograms } from './programs.ts';
import { medianAndMax } from './recovery.ts';
import { type Part, parts } from './schedule.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    faults: { type: 'string', default: '205' },
    cuts: { type: 'string', default: '5' },
    conversations: { type: 'string', default: '300' },
    'cut-ms': { type: 'string', default: '35000' },
    embedded: { type: 'boolean', default: false },
    parts: { type: 'string' },
    replicas: { type: 'string' },
    keep: { type: 'boolean', default: false },
    mutant: { type: 'string' },
  },
});
const whole = (name: string, text: string): number => {
  if (!/^\d{1,10}$/.test(text)) throw new Error(`--${name} is a whole number`);
  return Number(text);
};
const seed = whole('seed', values.seed ?? String(Math.floor(Math.random() * 2 ** 31)));
const natsServer = findNatsServer();
if (natsServer === undefined && !values.embedded)
  throw new Error('there is no nats-server on this machine: put one on the PATH or name it in STOPGO_NATS_SERVER');

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const begun = performance.now();
const bundle = await bundlePrograms(values.mutant === undefined ? [] : mutantOf(values.mutant));
try {
  say(`chaos with --seed ${seed}`);
  const found = await chaos({
    bundle,
    ...(natsServer === undefined || values.embedded ? {} : { natsServer }),
    seed,
    faults: whole('faults', values.faults),
    cuts: whole('cuts', values.cuts),
    // The default is longer than every time-out of the platform: no call waits longer than 30 s.
    cutMs: whole('cut-ms', values['cut-ms']),
    conversations: whole('conversations', values.conversations),
    ...(values.replicas === undefined ? {} : { replicas: whole('replicas', values.replicas) }),
    ...(values.parts === undefined ? {} : { parts: partsOf(values.parts) }),
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
    if (found === undefined) throw new Error(`there is no part "${name}"; there are ${parts.join(', ')}`);
    return found;
  });
}
