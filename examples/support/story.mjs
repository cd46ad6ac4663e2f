import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { print } from '../agent.mjs';
import { committed } from '../git-repository.mjs';
import { holds } from '../holds.mjs';

export const title = 'agents in git call each other and ask people, through a power cut';

const tier1 = 'support/tier1-agent';
const billing = 'support/billing-specialist';
const escalation = 'support/escalation-manager';
const final =
  "Order #ORDER-789 has been cancelled and full refund of $299.99 processed. You'll see the refund in 3-5 business days. Refund tracking: REF-456789";

/** What the models answer in this story, by whose prompt they are asked with. */
const says = {
  tier1: (...calls) => ({ prompt: 'Tier 1 Customer Support', calls }),
  billing: (...calls) => ({ prompt: 'Billing Specialist', calls }),
  escalation: (...calls) => ({ prompt: 'Escalation Manager', calls }),
};
const call = (name, args = {}) => ({ name, args });
const delegate = (agent_name, input) => call('call_agent', { agent_name, input, context_scope: 'NONE' });
const complete = (result, confidence) => call('complete_agent_execution', { result, status: 'SUCCESS', confidence });

export default async function story({ agent, model, folder, place, resources, cut, start }) {
  const repository = join(folder, 'examples', 'support', 'agents');
  const first = committed(repository, 'Three agents');
  await place('ORDER-789', 299);
  await agent.call('POST', '/repositories', { name: 'main-agents', git_url: `file://${repository}`, is_root: true });
  await agent.call('POST', '/repositories/main-agents/sync', {});
  const { agents } = await agent.call('GET', '/agents');
  print('agents', agents.map(({ name, git_commit }) => `${name} at ${git_commit.slice(0, 8)}`).join('\n'));
  holds('three agents are there', agents.length, 3);

  const exception = 'Customer exceeds refund policy but is VIP. Approve exception?';
  await model.script(
    says.tier1(call('resources_list')),
    says.tier1(delegate(billing, 'VIP customer John Smith wants refund for order #ORDER-789.')),
    says.billing(
      call('request_user_input', {
        ...{ prompt: exception, inputType: 'choice' },
        choices: ['Approve full refund', 'Offer store credit', 'Deny exception'],
      }),
    ),
    says.billing(call('resources_add', { name: 'REF-456789', value: 299 })),
    says.billing(complete('Full refund of $299.99 approved and processed. Refund ID: REF-456789', 1)),
    says.tier1(complete(final, 0.95)),
  );
  const asked = await agent.ask('I want to cancel order #ORDER-789 and get a refund', tier1);
  const { id } = asked.conversation;
  const [question] = asked.conversation.pending_inputs;
  print('asks', `${question.agent}: ${question.message}`);
  holds('the specialist asks a person', question.agent, billing);

  print('power', 'kill -9');
  await cut();
  await start();
  const again = await agent.look(asked);
  holds('the question is still there', again.conversation.pending_inputs[0].id, question.id);

  print('alice', 'Approve full refund');
  const chosen = await agent.answer(asked, question, { answer: 'Approve full refund' }, 'alice');
  const [approval] = chosen.waits;
  holds('to pay it out is asked about by itself', approval.tool_name, 'resources_add');
  holds('in the name of both agents', approval.agent_path, [tier1, billing]);
  holds('and nothing is paid yet', await resources(), { 'ORDER-789': 299 });
  const done = await agent.decide(approval, 'yes', 'alice');
  holds('the customer is told', done.response, final);
  holds('and it is paid once', await resources(), { 'ORDER-789': 299, 'REF-456789': 299 });

  const { steps } = await agent.call('GET', `/runs/${id}/steps`);
  for (const step of steps) print('step', `${step.agent}: ${step.state}, ${step.completion.result}`);
  holds(
    'two agents worked on it',
    steps.map((step) => step.agent),
    [tier1, billing],
  );
  holds('at the commit of the repository', steps[1].agent_source.git_commit, first);

  await model.script(
    says.tier1(delegate(billing, 'Which refund?'), delegate(escalation, 'How is she treated?')),
    says.billing(complete('A full one.', 1)),
    says.escalation(complete('As a VIP.', 1)),
    says.tier1(complete('A full refund, with our apologies.', 1)),
  );
  const both = await agent.ask('The same for Jane', tier1);
  const beside = (await agent.call('GET', `/runs/${both.conversation.id}/steps`)).steps;
  const [, one, other] = beside;
  holds(
    'two specialists worked side by side',
    one.started_at < other.ended_at && other.started_at < one.ended_at,
    true,
  );

  const file = join(repository, tier1, 'prompt.md');
  writeFileSync(file, readFileSync(file, 'utf8').replace('You are a', 'You are a kind'));
  const second = committed(repository, 'Be kind');
  await agent.call('POST', '/repositories/main-agents/sync', {});
  const commitOf = async (more) => {
    await model.script({ prompt: 'Customer Support', calls: [complete('Hello.', 1)] });
    const { conversation } = await agent.ask('Hello', tier1, more);
    return conversation.run.agent_source.git_commit;
  };
  holds('the next run has what was pushed', await commitOf(), second);
  holds('and one that names the old commit has the old prompt', await commitOf({ git_commit: first }), first);
}
