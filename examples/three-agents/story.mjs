import { print } from '../agent.mjs';
import { holds } from '../holds.mjs';

export const title = 'a question crosses three agents, and the answer goes back the same way';

export default async function story({ agent, others, cut, start }) {
  const { keeper, 'change-desk': desk } = others;
  const asked = await agent.ask('create a server web-1 with value 42');
  const [approval] = asked.waits;
  holds(
    'the first agent shows the tool of the last one, and the agents on the way',
    [approval.node, approval.tool_name, approval.tool_args, approval.agents],
    ['change-desk', 'resources_add', { name: 'web-1', value: 42 }, ['change-desk', 'keeper']],
  );
  const between = await desk.agent.look({ conversation: { id: approval.remote_task_id } });
  holds(
    'the one between has the question on its own record',
    [between.waits[0].kind, between.waits[0].remote_agent_name],
    ['proxy', 'keeper'],
  );

  await desk.cut();
  print('power', '(kill -9 of the agent between, and a new start)');
  await start();
  const done = await agent.decide(approval, 'yes', 'alice');
  holds('the keeper did it, once', await keeper.resources(), { 'web-1': 42 });
  holds('and what it did came back to the first', /added "web-1" with value 42/.test(done.response), true);

  const refused = await agent.ask('remove web-1');
  const after = await agent.decide(refused.waits[0], 'no', 'alice');
  holds(
    'a no goes all the way down',
    [after.response, await keeper.resources()],
    ['Operation cancelled by user.', { 'web-1': 42 }],
  );

  await cut();
  await start();
}
