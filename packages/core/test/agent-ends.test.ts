import { facts } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { parkedTasks } from '../src/state/work.ts';
import { answered, answers, asked, callsAgent, drove, platformAgent, works } from './agents.ts';
import { rule } from './rules.ts';
import { given } from './specification.ts';
import { approved, call, canceled, claim, grants, opened, peer, said, starts } from './story.ts';

const child = 'root#1.0/root';
const begun = [opened, asked('I want a refund.')] as const;
const clerk = platformAgent('support/clerk');

test('a run that ends while another agent works for a called one knows whom to end it by, and the next one begins', () => {
  const courier = platformAgent('support/courier', {}, { agents: [peer] });
  const more = [courier];
  const step = 'root#1.0/root';
  const ended = [
    ...begun,
    answered({ calls: [callsAgent('support/courier')] }),
    drove([works('root#1.0', 'support/courier')], { more }),
    answered({ step, calls: [call('a2a_peer', { message: 'Bring it.' })] }, { more }),
    drove([starts(`${step}#1.0`)], { more }),
    canceled,
  ];
  const parked = { agentDigest: 'agent support/courier', call: { id: `${step}#1.0` } };
  expect(parkedTasks(given(...ended).state)).toMatchObject([parked]);
  const next = given(...ended, said('Again.', { runId: 'run-2' })).state;
  expect(next.run?.id).toBe('run-2');
  expect(parkedTasks(next)).toMatchObject([parked]);
});

test('a standing yes to a call of an agent lets no other agent be called', () => {
  const policy = { rules: [rule('ask', 'ask', { tool: 'call_agent' })] };
  const allowed = [
    opened,
    asked('Go.', { policy }),
    answered({ calls: [callsAgent('support/billing')] }, { policy }),
    grants('root#1.0', 'any'),
    approved(),
  ];
  const { decision } = given(
    ...allowed,
    drove([claim], { policy }),
    drove([works('root#1.0', 'support/billing', 'FULL', policy)], { policy }),
  ).when(answers({ step: child, calls: [callsAgent('support/clerk')] }, { policy, more: [clerk] }));
  const [first] = 'facts' in decision ? decision.facts : [];
  expect(first?.case === 'modelResponded' && first.value.calls[0]?.disposition).toBe(facts.Disposition.GATED);
});
