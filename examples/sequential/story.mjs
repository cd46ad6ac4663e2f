import { holds } from '../holds.mjs';

export const title = 'planned, approved, carried out, reported';

export default async function story({ agent, model, resources }) {
  const asked = await agent.ask('create a server web-1 with value 42');
  holds('planner and executor have spoken, the reporter has not begun', asked.spoken, ['planner', 'executor']);
  const wanted = asked.waits.map(({ tool_args: args }) => args);
  holds('the executor did what the planner wrote', wanted, [{ name: 'web-1', value: 42 }]);
  const { paused_node_path: path, session_state: written } = asked.conversation.pipeline_state ?? {};
  holds('the pause is at the second child of the root', path, [1]);
  holds('what the planner came to is kept meanwhile', written, {
    plan: 'As I understand it: create a server web-1 with value 42',
  });
  holds('two questions to the model so far', (await model.asked()).length, 2);
  holds('nothing has happened', await resources(), {});

  const done = await agent.decide(asked.waits[0], 'yes', 'alice');
  holds('the call was made', await resources(), { 'web-1': 42 });
  holds(
    'the reporter answered, and saw it',
    [done.spoken.at(-1), done.response.includes('- web-1 = 42')],
    ['reporter', true],
  );
  holds('the planner was not asked again: executor once more, reporter twice', (await model.asked()).length, 5);
  holds('nothing waits any more', done.conversation.pipeline_state, undefined);

  const other = await agent.ask('create a server web-2 with value 43');
  const refused = await agent.decide(other.waits[0], 'no', 'alice');
  holds(
    'a no ends the run: nothing was created, the reporter never began',
    [refused.spoken, await resources()],
    [['planner', 'executor'], { 'web-1': 42 }],
  );
  holds('and it says so', refused.response, 'Operation cancelled by user.');
}
