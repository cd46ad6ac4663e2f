import { holds } from '../holds.mjs';

export const title = 'one agent asks another, and the question of the second reaches who talks to the first';

export default async function story({ agent, others }) {
  const { keeper } = others;
  const listed = await agent.ask('ask keeper to list all resources');
  holds('reading needed nobody, there or here', [listed.waits.length, listed.conversation.status], [0, 'active']);
  const asked = await agent.ask('ask keeper to create a server web-1 with value 42');
  holds('nothing', await keeper.resources(), {});
}
