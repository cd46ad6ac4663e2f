import { print } from '../agent.mjs';
import { holds } from '../holds.mjs';

export const title = 'three approvals at once, answered from the last to the first';

export default async function story({ agent, model, resources }) {
  await model.holdBack(3);
  const asking = agent.ask('open the shop everywhere');
  await model.heard(3);
  print('model', '(has been asked three times and has not answered yet)');
  holds('all branches run at the same time', (await model.asked()).length, 3);
  await model.letGo();

  const asked = await asking;
  const waiting = byNode(asked.waits);
  holds('all of them wait together', Object.keys(waiting).sort(), ['america', 'asia', 'europe']);
  const paths = asked.paused.map(({ node, path }) => [node, path]);
  holds('each at its own place in the tree', Object.fromEntries(paths), {
    europe: [0, 0],
    america: [0, 1],
    asia: [0, 2],
  });
  holds('nothing has happened', await resources(), {});

  const first = await agent.decide(waiting.asia, 'yes', 'alice');
  holds(
    'the first yes is carried out while the others wait',
    [await resources(), first.waits.length],
    [{ 'asia-1': 3 }, 2],
  );
  const second = await agent.decide(waiting.america, 'no', 'bob');
  holds('a no stops its own branch only', [await resources(), second.waits.length], [{ 'asia-1': 3 }, 1]);
  holds('the summary has not begun', second.spoken.includes('summary'), false);

  const done = await agent.decide(waiting.europe, 'yes', 'carol');
  holds('what was approved is there, what was not is not', await resources(), { 'asia-1': 3, 'europe-1': 1 });
  const regions = [...done.response.matchAll(/europe-1|not carried out|asia-1/g)].map(([word]) => word);
  holds('the summary has the results in the order of the file, not of the answers', regions, [
    'europe-1',
    'not carried out',
    'asia-1',
  ]);
}

function byNode(approvals) {
  return Object.fromEntries(approvals.map((approval) => [approval.node, approval]));
}
