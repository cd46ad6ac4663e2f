import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { holds } from '../holds.mjs';

export const title =
  'files are read at once and changed when somebody says yes; what a folder does not allow never happens';

const call = (tool, args) => `call ${tool} ${JSON.stringify({ root: 'papers', ...args })}`;

export default async function story({ agent, folder }) {
  const offer = () => readFileSync(join(folder, 'examples', 'files', 'papers', 'offer.md'), 'utf8');
  const before = offer();

  const found = await agent.ask(call('grep', { pattern: 'Winter' }));
  holds('searching needed nobody', [found.waits.length, found.response.includes('notes.txt')], [0, true]);

  const patch =
    '@@ -3 +3 @@\n-For the garden of Mrs Winter: one apple tree, planted.\n+For the garden of Mrs Winter: two apple trees, planted.';
  const asked = await agent.ask(call('patch_file', { path: 'offer.md', patch }));
  holds(
    'the agent waits, and the file is as it was',
    [asked.conversation.status, offer()],
    ['waiting_approval', before],
  );
  holds('the approval shows exactly what would be changed', asked.waits[0].tool_args.patch, patch);

  await agent.decide(asked.waits[0], 'yes', 'alice');
  holds('a yes makes exactly that change', offer(), before.replace('one apple tree,', 'two apple trees,'));

  const outside = await agent.ask(call('read_file', { path: '../../../data/events.db' }));
  holds('out of the folder leads no way', outside.response.includes('path resolves outside root boundary'), true);

  const removing = await agent.ask(call('remove_file', { path: 'notes.txt' }));
  const refused = await agent.decide(removing.waits[0], 'yes', 'bob');
  holds(
    'what the folder does not allow is refused, whoever says yes',
    refused.response.includes('tool remove_file not allowed on root papers'),
    true,
  );
}
