import { join } from 'node:path';
import { print } from '../agent.mjs';
import { committed } from '../git-repository.mjs';
import { holds } from '../holds.mjs';
import { until } from '../until.mjs';

export const title = 'an agent from git calls another one, and everything is killed three times in the middle';

const desk = 'orders/desk';
const stock = 'orders/stock';

const call = (name, args = {}) => ({ name, args });
const complete = (result) => call('complete_agent_execution', { result, status: 'SUCCESS' });
const says = (prompt, ...calls) => ({ prompt, calls });
const sets = says('Stock Keeper', call('resources_add', { name: 'order-12', value: 3 }));
const final = says('Order Desk', complete('Three lamps are set aside for you.'));
const later = { prefer: 'respond-async' };

export default async function story({ agent, model, folder, resources, cut, start }) {
  const repository = join(folder, 'examples', 'power-cuts', 'agents');
  const commit = committed(repository, 'Two agents');
  await agent.call('POST', '/repositories', { name: 'order-agents', git_url: `file://${repository}`, is_root: true });
  await agent.call('POST', '/repositories/order-agents/sync', {});
  const powerFails = async (when) => {
    print('power', `kill -9, ${when}`);
    await cut();
    await start();
  };

  await model.script(
    says('Order Desk', call('call_agent', { agent_name: stock, input: 'Three lamps.', context_scope: 'NONE' })),
    { ...sets, hang: true },
  );
  print('user', 'I would like three lamps');
  const opened = await agent.call(
    'POST',
    '/conversations',
    { message: 'I would like three lamps', agent: desk },
    later,
  );
  await model.heard(2);
  await powerFails('while the model of the called agent is asked');
  await model.script(sets);
  const approval = await until('a call waits for a yes', async () => (await agent.look(opened)).waits[0]);
  holds('it went on by itself, and what it would change waits', approval.agent_path, [desk, stock]);
  const callsOf = async (agentName) => {
    const { steps } = await agent.call('GET', `/runs/${opened.conversation.id}/steps`);
    return steps.filter((step) => step.agent === agentName).length;
  };
  holds('nobody was called twice', await callsOf(stock), 1);

  await powerFails('while the call waits for a person');
  const again = await agent.look(opened);
  holds(
    'the same approval waits',
    again.waits.map(({ uuid }) => uuid),
    [approval.uuid],
  );
  holds('and nothing was set aside', await resources(), {});

  await model.script(says('Stock Keeper', complete('Three lamps are set aside.')), { ...final, hang: true });
  print('alice', 'yes');
  await agent.call('POST', `/approvals/${approval.uuid}`, { answer: 'yes' }, { 'x-approver': 'alice', ...later });
  await model.heard(5);
  holds('the lamps are set aside', await resources(), { 'order-12': 3 });
  await powerFails('while the first agent is told what came of it');
  await model.script(final);
  const done = await until('the run ends', async () => {
    const { conversation } = await agent.look(opened);
    return conversation.run.status === 'completed' ? conversation : undefined;
  });
  const answer = done.messages.at(-1).content;
  print('agent', answer);
  holds('the customer is told', answer, 'Three lamps are set aside for you.');
  holds('they are set aside once', await resources(), { 'order-12': 3 });
  holds('it is one run, of the commit that it began with', done.run.agent_source.git_commit, commit);
}
