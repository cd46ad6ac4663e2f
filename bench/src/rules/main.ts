// `node --import tsx --conditions=stopgo-source bench/src/rules/main.ts`: the CPU that fifty rules take of a turn that makes one call.
import { judgeByPolicy, nobody, nothingYet, type Policy, type PolicyCall, readPolicy } from '@stopgo/core';

const rulesCount = 50;
const calls = 5_000;
const warmUp = 2_000;

const call: PolicyCall = {
  server: 'bank',
  tool: 'add_resource',
  agent: 'assistant',
  node: 'assistant',
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  argumentsJson: '{"amount":5,"name":"my-test"}',
};

/** None of them matches, so that all are looked at; every `nth` is about the tool, and has its predicate evaluated. */
function policyOf(nth: number): Policy {
  const rules = Array.from({ length: rulesCount }, (_, index) => ({
    name: `rule ${index}`,
    verdict: 'ask',
    ...((index + 1) % nth === 0
      ? { tool: 'add_*', when: `args.amount > ${1_000 + index}.0 && caller.name != "x"` }
      : { tool: `tool_${index}_*` }),
  }));
  const read = readPolicy({ rules });
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

for (const [what, nth] of [
  ['by name alone', rulesCount + 1],
  ['25 of them with a predicate that is evaluated', 2],
  ['all with a predicate that is evaluated', 1],
] as const)
  console.log(`${rulesCount} rules, ${what}: ${microsecondsPerCall(policyOf(nth)).toFixed(0)} µs of CPU a call`);
