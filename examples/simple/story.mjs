import { holds } from '../holds.mjs';

export const title = 'reading goes, changing stops until somebody says yes';

export default async function story({ agent, resources }) {
  const listed = await agent.ask('list all resources');
  holds('reading needed nobody', [listed.waits.length, listed.conversation.status], [0, 'active']);

  const asked = await agent.ask('create a server web-1 with value 42');
  holds(
    'the agent waits, and nothing has happened',
    [asked.conversation.status, await resources()],
    ['waiting_approval', {}],
  );
  const [approval] = asked.waits;
  holds('the approval shows exactly what would be called', approval.tool_args, { name: 'web-1', value: 42 });

  const refused = await agent.decide(approval, 'no', 'alice');
  holds(
    'a no is final: nothing was created',
    [refused.response, await resources()],
    ['Operation cancelled by user.', {}],
  );

  const again = await agent.ask('create a server web-1 with value 42');
  const done = await agent.decide(again.waits[0], 'yes', 'bob');
  holds('a yes makes exactly that call', await resources(), { 'web-1': 42 });
  holds('the conversation is free for the next message', done.conversation.status, 'active');
  holds('an agent without a tree has no pipeline', again.conversation.pipeline_state, undefined);
}
