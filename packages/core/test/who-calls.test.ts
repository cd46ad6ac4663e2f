/** Rules see which agents work one below another, and from which commit the one comes that makes a call. */
import { facts } from '@stopgo/proto';
import { expect, test } from 'vitest';
import type { Policy } from '../src/policy/policy.ts';
import { answered, asked, callsAgent, drove, platformAgent, works } from './agents.ts';
import { rule } from './rules.ts';
import { given } from './specification.ts';
import { assistant, answered as assistantAnswered, call, opened, said } from './story.ts';

const billed = 'root#1.0/root';
const audited = 'root#1.0/root#1.0/root';
const policy: Policy = {
  rules: [
    rule('by the run', 'deny', { tool: 'add', when: 'call.agents == ["support/tier1"]' }),
    rule('for tier 1', 'deny', {
      tool: 'add',
      when: 'call.agents == ["support/tier1", "support/billing"] && call.agent == call.agents[1]',
    }),
    rule('two above', 'deny', { tool: 'add', when: '"support/tier1" in call.agents && size(call.agents) == 3' }),
    rule('of a commit', 'deny', { tool: 'list', when: 'call.commit == "c0ffee"' }),
    rule('of another', 'deny', { tool: 'list', when: 'call.commit == "b111"' }),
  ],
};

/** Tier 1 calls billing, which calls audit; each asks for the same calls as well. */
const audit = platformAgent('support/audit');
const how = { policy, more: [audit] };
const calls = [call('add'), call('list')];
const ofBilling = { source: { repository: 'agents', commit: 'b111', path: 'support/billing/prompt.md' } };
const { log } = given(
  opened,
  asked('Go.', { policy }),
  answered({ calls: [callsAgent('support/billing'), ...calls] }, how),
  drove([{ ...works('root#1.0', 'support/billing', 'FULL', policy), ...ofBilling }], how),
  answered({ step: billed, calls: [callsAgent('support/audit'), ...calls] }, how),
  drove([works('root#1.0/root#1.0', 'support/audit', 'FULL', policy)], how),
  answered({ step: audited, calls }, how),
);

test.each([
  ['the agent of the run', 'root', ['', 'by the run', 'of a commit']],
  ['the one that it calls', billed, ['', 'for tier 1', 'of another']],
  ['the one below that', audited, ['two above', 'of a commit']],
])('%s is known by those above it, and by its commit', (_, step, rules) => {
  const ruled = log.flatMap(({ fact }) =>
    fact.case === 'modelResponded' && fact.value.stepId === step ? fact.value.calls.map(({ rule: by }) => by) : [],
  );
  expect(ruled).toEqual(rules);
});

test('an agent that is not from git has no commit, and is alone', () => {
  const alone: Policy = {
    rules: [rule('alone', 'deny', { when: `call.commit == "" && call.agents == ["${assistant.name}"]` })],
  };
  const { log } = given(
    opened,
    said('go', { policy: alone }),
    assistantAnswered({ calls: [call('list')] }, { policy: alone }),
  );
  const { fact } = log.findLast((event) => event.fact.case === 'modelResponded') ?? {};
  expect(fact?.value).toMatchObject({ calls: [{ rule: 'alone', disposition: facts.Disposition.REFUSED }] });
});
