import assert from 'node:assert/strict';
import { client } from '../e2e/http.ts';
import { Composed, testImage } from './composed.ts';
import type { Container } from './containers.ts';
import { approve, ask } from './story.ts';
import type { Tool } from './tool.ts';

/** What the caller shows at the front desk. By the files of the chain it goes on to the others, over plain http. */
const token = 'shown-at-the-front-desk-4f1d';
const showing = { authorization: `Bearer ${token}` };

/**
 * The three agents of docker-compose.chain.yaml: what the last one asks is answered at the first one, while those behind it
 * crash, and it is done once.
 */
export async function chainOfAgents(tool: Tool, signal: AbortSignal, say: (line: string) => void): Promise<void> {
  const env = {
    ...process.env,
    COMPOSE_PROFILES: undefined,
    STOPGO_BIND: undefined,
    STOPGO_PORT: '',
    STOPGO_IMAGE: testImage,
    GEMINI_API_KEY: undefined,
    STOPGO_OFFLINE_MODEL: 'http://offline-model:8091',
  };
  const chain = new Composed(tool, { files: ['docker-compose.chain.yaml'], env }, signal);
  try {
    await chain.build();
    await chain.up();
    await chain.healthy();
    say('three agents are healthy');
    const front = async () => client(`http://${await published(chain, 'front-desk')}`);
    for (const service of ['change-desk', 'keeper', 'mcp-resources'])
      assert.equal(await published(chain, service), '', `${service} is reached from outside`);

    const { id, approval } = await ask(await front(), 'chained-1', showing);
    const { body } = await (await front()).get(`/conversations/${id}`);
    const [waiting] = body.conversation.pending_approvals ?? [];
    assert.deepEqual(waiting?.tool_args, { name: 'chained-1', value: 42 }, JSON.stringify(waiting));
    say('the front desk asks what the keeper asks');
    for (const service of ['change-desk', 'keeper']) {
      const shown = await tokensShown(chain, service);
      assert.deepEqual(shown, [true], `${service} was shown tokens: ${JSON.stringify(shown)}`);
    }
    say("the caller's token arrived at the change desk and at the keeper, and is on no record");
    for (const service of ['change-desk', 'keeper', 'front-desk']) {
      await chain.crash(await only(chain, service));
      say(`crashed ${service}`);
    }
    await chain.healthy();
    await approve(await front(), id, approval, showing);
    const listed = await (await front()).post('/conversations', { message: 'list all resources' });
    assert.equal(listed.body.result.response.match(/- chained-1 = 42 /g)?.length, 1, listed.text);
    assert.ok((await tokensShown(chain, 'keeper')).includes(false), 'a caller without a token shows none');
    say('approved at the front desk: the keeper did it once');
    for (const service of ['front-desk', 'change-desk', 'keeper']) {
      const { code } = await chain.stop(await only(chain, service));
      assert.equal(code, 0, `${service} ended with exit code ${code} when it was asked to stop`);
    }
    say('they stopped cleanly');
  } catch (error) {
    for (const container of await chain.containers().catch(() => []))
      say(`--- ${container.name}\n${(await chain.logs(container)).trim().split('\n').slice(-15).join('\n')}`);
    throw error;
  } finally {
    await chain.down();
  }
}

/** Of each run on the record of an agent: whether it was shown a token when it began. The token itself is not to be there. */
async function tokensShown(chain: Composed, service: string): Promise<boolean[]> {
  const { id } = await only(chain, service);
  const events = (...which: string[]) =>
    chain.engine('exec', id, 'stopgo', 'events', ...which, '--config', '/etc/stopgo/agent.yaml');
  const conversations = (await events()).match(/(?<=^conversation-)\S+/gm) ?? [];
  const recorded = (await Promise.all(conversations.map((one) => events(one, '--json')))).join('\n');
  assert.ok(!recorded.includes(token), `the token is on the record of ${service}`);
  return recorded
    .split('\n')
    .filter((line) => line.includes('"type":"RunStarted"'))
    .map((line) => (JSON.parse(line) as { value: { bearerTokenPresent?: boolean } }).value.bearerTokenPresent === true);
}

async function only(chain: Composed, service: string): Promise<Container> {
  const [container] = await chain.containers(service);
  assert.ok(container !== undefined, `no container of ${service}`);
  return container;
}

/** Where a service is reached from this machine; empty if it is not. */
async function published(chain: Composed, service: string): Promise<string> {
  const { id } = await only(chain, service);
  const ports = JSON.parse(await chain.inspect(id, '{{json .NetworkSettings.Ports}}')) as Record<
    string,
    { HostIp: string; HostPort: string }[] | null
  > | null;
  const [at] = Object.values(ports ?? {}).flatMap((bindings) => bindings ?? []);
  return at === undefined ? '' : `${at.HostIp}:${at.HostPort}`;
}
