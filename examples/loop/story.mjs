import { holds } from '../holds.mjs';

export const title = 'once more, and once more, until there are enough';

export default async function story({ agent, model, resources }) {
  const first = await agent.ask('ensure we have at least 2 resources');
  holds('it has looked, and waits in the first round', steps(first), ['root[1]/0']);
  const second = await agent.decide(first.waits[0], 'yes', 'alice');
  holds(
    'one is there, and the next one waits in the second round',
    [await resources(), steps(second)],
    [{ 'resource-1': 1 }, ['root[2]/0']],
  );
  const done = await agent.decide(second.waits[0], 'yes', 'alice');
  holds('two are there', await resources(), { 'resource-1': 1, 'resource-2': 2 });
  holds(
    'the third round only looked, and left the loop by its tool',
    done.conversation.messages.at(-1).content,
    '[keeper] exit_loop called',
  );
  holds('nobody asked the model after that: 3 + 3 + 2 questions', (await model.asked()).length, 8);
  holds('the answer is what was said last', done.response, 'There are 2 resources, and at least 2 were to be there.');

  const enough = await agent.ask('ensure we have at least 2 resources');
  holds('where there are enough nobody is asked', [enough.waits.length, (await model.asked()).length], [0, 8 + 2]);

  const more = await agent.ask('ensure we have at least 5 resources');
  const refused = await agent.decide(more.waits[0], 'no', 'bob');
  holds(
    'a no ends the loop, rounds left or not',
    [refused.response, Object.keys(await resources()).length],
    ['Operation cancelled by user.', 2],
  );
}

/** Where it is paused: the rounds of a loop are steps of their own. */
function steps({ paused }) {
  return paused.map(({ step }) => step);
}
