import { print } from '../agent.mjs';
import { holds } from '../holds.mjs';

export const title = 'two branches wait, the power fails, and everybody goes on where they were';

export default async function story({ agent, model, resources, place, cut, start }) {
  await place('old-1', 7);
  const asked = await agent.ask('have a quiet night');
  const ids = asked.waits.map(({ uuid }) => uuid).sort();
  const steps = asked.paused.map(({ node, step }) => [node, step]);
  holds('a loop in its first round and a sequence at its first step wait side by side', Object.fromEntries(steps), {
    keeper: 'root/1/0[1]/0',
    cleaner: 'root/1/1/0',
  });
  const questions = (await model.asked()).length;

  await cut();
  print('power', '(kill -9, and a new start)');
  await start();
  const after = await agent.look(asked);
  holds('the same approvals wait', after.waits.map(({ uuid }) => uuid).sort(), ids);
  holds('nobody asked a model again', (await model.asked()).length, questions);

  const cleaner = after.waits.find(({ node }) => node === 'cleaner');
  const cleared = await agent.decide(cleaner, 'yes', 'alice');
  holds(
    'one branch is done to its end while the other one waits',
    [cleared.spoken.includes('checker'), cleared.waits.map(({ node }) => node), await resources()],
    [true, ['keeper'], {}],
  );
  const once = await agent.decide(cleared.waits[0], 'yes', 'alice');
  holds(
    'the loop waits again, in its second round',
    once.paused.map(({ step }) => step),
    ['root/1/0[2]/0'],
  );
  const done = await agent.decide(once.waits[0], 'yes', 'alice');
  holds('everything was done once', await resources(), { 'web-1': 1, 'web-2': 2 });
  holds(
    'and reported when all of it was done',
    [done.spoken.at(-1), done.response.includes('2 resources')],
    ['reporter', true],
  );
}
