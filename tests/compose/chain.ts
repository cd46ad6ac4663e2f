import assert from 'node:assert/strict';
import { client } from '../e2e/http.ts';
import { Composed, testImage } from './composed.ts';
import type { Container } from './containers.ts';
import { approve, ask } from './story.ts';
import type { Tool } from './tool.ts';

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

    const { id, approval } = await ask(await front(), 'chained-1');
    const { body } = await (await front()).get(`/conversations/${id}`);
    const [waiting] = body.conversation.pending_approvals ?? [];
    assert.deepEqual(waiting?.tool_args, { name: 'chained-1', value: 42 }, JSON.stringify(waiting));
    say('the front desk asks what the keeper asks');
    for (const service of ['change-desk', 'keeper', 'front-desk']) {
      await chain.crash(await only(chain, service));
      say(`crashed ${service}`);
    }
    await chain.healthy();
    await approve(await front(), id, approval);
    const listed = await (await front()).post('/conversations', { message: 'list all resources' });
    assert.equal(listed.body.result.response.match(/- chained-1 = 42 /g)?.length, 1, listed.text);
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
