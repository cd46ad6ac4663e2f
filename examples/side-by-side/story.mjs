import { join } from 'node:path';
import { print } from '../agent.mjs';
import { committed } from '../git-repository.mjs';
import { holds } from '../holds.mjs';
import { until } from '../until.mjs';

export const title = 'one agent calls two at once; one of them waits for a yes, and the other does not wait for it';

const lead = 'release/lead';
const changes = 'release/changes';
const security = 'release/security';

const call = (name, args = {}) => ({ name, args });
const delegate = (agent_name) => call('call_agent', { agent_name, input: 'Look at version 7.', context_scope: 'NONE' });
const complete = (result) => call('complete_agent_execution', { result, status: 'SUCCESS' });
const says = (prompt, ...calls) => ({ prompt, calls });

export default async function story({ agent, model, folder, place, resources }) {
  const repository = join(folder, 'examples', 'side-by-side', 'agents');
  committed(repository, 'Three agents');
  await place('version-7', 7);
  await agent.call('POST', '/repositories', { name: 'release-agents', git_url: `file://${repository}`, is_root: true });
  await agent.call('POST', '/repositories/release-agents/sync', {});

  await model.script(
    says('Release Lead', delegate(changes), delegate(security)),
    { ...says('Change Reviewer', call('resources_list')), hang: true },
    { ...says('Security Reviewer', call('resources_add', { name: 'finding-7', value: 1 })), hang: true },
    says('Change Reviewer', complete('Version 7 has a new login.')),
  );
  const asking = agent.ask('May version 7 be released?', lead);
  await model.heard(3);
  print('models', 'both reviewers are asked, and neither has answered');
  await model.letGo();
  const asked = await asking;
  const { id } = asked.conversation;
  const steps = async () => (await agent.call('GET', `/runs/${id}/steps`)).steps;
  const [waits] = asked.waits;
  holds('what one of them would change waits for a yes', waits.agent_path, [lead, security]);
  const isDone = ({ agent: name, state }) => name === changes && state === 'COMPLETED';
  const found = await until('one is done', async () => {
    const all = await steps();
    return all.some(isDone) ? all : undefined;
  });
  const states = Object.fromEntries(found.map(({ agent: name, state }) => [name, state]));
  holds('one waits for people, and the other is done', states, {
    [lead]: 'BLOCKED_ON_INPUT',
    [changes]: 'COMPLETED',
    [security]: 'BLOCKED_ON_INPUT',
  });
  holds('nothing was changed yet', await resources(), { 'version-7': 7 });

  await model.script(
    says('Security Reviewer', complete('One finding: the login has no limit.')),
    says('Release Lead', complete('Not yet: the new login has no limit.')),
  );
  const done = await agent.decide(waits, 'yes', 'alice');
  holds('the lead has heard both', done.response, 'Not yet: the new login has no limit.');
  holds('and the finding is written down once', await resources(), { 'version-7': 7, 'finding-7': 1 });
  const [whole, ...parts] = await steps();
  for (const { agent: name, state, completion } of [...parts, whole])
    print('step', `${name}: ${state}, ${completion.result}`);
  holds('the lead called both in one answer', whole.agent_calls, 2);
}
