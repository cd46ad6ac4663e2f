import { print } from '../agent.mjs';
import { holds } from '../holds.mjs';

export const title = 'what one agent has to ask reaches the people who talk to the other';

export default async function story({ agent, others, cut, start }) {
  const { keeper } = others;
  const listed = await agent.ask('ask keeper to list all resources');
  holds('reading needed nobody, here or there', [listed.waits.length, listed.conversation.status], [0, 'active']);

  const asked = await agent.ask('ask keeper to create a server web-1 with value 42');
  const [approval] = asked.waits;
  holds(
    'the front desk asks what the keeper asks: its tool and its arguments, in its name',
    [approval.kind, approval.tool_name, approval.tool_args, approval.remote_agent_name],
    ['proxy', 'resources_add', { name: 'web-1', value: 42 }, 'keeper'],
  );
  const there = await keeper.agent.look({ conversation: { id: approval.remote_task_id } });
  holds('the keeper waits, too, and nothing has happened', [there.waits.length, await keeper.resources()], [1, {}]);

  await cut();
  print('power', '(kill -9 of both, and a new start)');
  await start();
  await agent.decide(approval, 'yes', 'alice');
  holds('a yes at the front desk lets the keeper go, once', await keeper.resources(), { 'web-1': 42 });

  const refused = await agent.ask('ask keeper to remove web-1');
  await agent.decide(refused.waits[0], 'no', 'alice');
  holds('so does a no: nothing was removed', await keeper.resources(), { 'web-1': 42 });

  const late = await agent.ask('ask keeper to remove web-1');
  const { waits } = await keeper.agent.look({ conversation: { id: late.waits[0].remote_task_id } });
  await keeper.agent.decide(waits[0], 'yes', 'carol');
  const said = await agent.decide(late.waits[0], 'no', 'alice').catch(({ message }) => message);
  holds(
    'who answers after somebody else is told so',
    [/ 409: .*withdrawn/.test(said), await keeper.resources()],
    [true, {}],
  );
}
