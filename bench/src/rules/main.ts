// `npm run bench -- rules`: the CPU that fifty rules take of a call, and of a turn.
import { judgeByPolicy, nobody, nothingYet, type Policy, type PolicyCall, readPolicy } from '@stopgo/core';
import { flagsOf } from '../../../scripts/flags.mjs';
import { describeMachine, watchOthers } from '../machine.ts';
import { countOf, limitRun } from '../run.ts';
import { fiftyRules, nthOf, rulesCount } from './fifty.ts';
import { measurePairs } from './pairs.ts';

const wholeRunMs = 60 * 60_000;
const calls = 5_000;
const warmUp = 2_000;

const call: PolicyCall = {
  server: 'notes',
  tool: 'erase',
  agent: 'assistant',
  agents: ['assistant'],
  commit: '',
  node: 'assistant',
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  argumentsJson: '{"note":"note-1:"}',
};

function policyOf(nth: number): Policy {
  const read = readPolicy({ rules: fiftyRules(call.tool, nth) });
  if (read.kind !== 'policy') throw new Error('the rules of the bench cannot be read');
  return read.policy;
}

function microsecondsPerCall(policy: Policy): number {
  const judge = () => judgeByPolicy(policy, call, { caller: nobody, run: nothingYet });
  for (let done = 0; done < warmUp; done += 1) judge();
  const before = process.cpuUsage().user;
  for (let done = 0; done < calls; done += 1) judge();
  return (process.cpuUsage().user - before) / calls;
}

const usage = 'usage: npm run bench -- rules [--starts N] [--rounds N]';
const values = flagsOf(usage, { starts: { type: 'string' }, rounds: { type: 'string' } });
limitRun(wholeRunMs);
const { processor, cores, node, load } = describeMachine();
console.log(`${processor}, ${cores} cores, Node ${node}, load ${load.toFixed(1)} before`);
for (const [what, nth] of [
  ['by name alone', nthOf.names],
  ['25 of them with a predicate that is evaluated', 2],
  ['all with a predicate that is evaluated', nthOf.predicates],
] as const)
  console.log(`${rulesCount} rules, ${what}: ${microsecondsPerCall(policyOf(nth)).toFixed(0)} µs of CPU a call`);

const others = watchOthers();
await measurePairs({ starts: countOf('starts', values.starts) ?? 4, rounds: countOf('rounds', values.rounds) ?? 20 });
console.log(`others took ${others().toFixed(0)} % of the machine`);
