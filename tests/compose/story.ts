import assert from 'node:assert/strict';
import { type Client, client, until } from '../e2e/http.ts';
import type { Composition } from './composition.ts';

/** Longest time for a request that meets a service just killed to be answered as it should be, in milliseconds. */
const patienceMs = 120_000;

/** Asks for something destructive; the approval that it waits for, with the conversation's id. */
export async function ask(
  gateway: Client,
  name: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly id: string; readonly approval: string }> {
  const answer = await gateway.post('/conversations', { message: `create a server ${name} with value 42` }, headers);
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.body.result.waiting_approval, true, answer.text);
  const [approval] = answer.body.result.approvals;
  assert.ok(approval !== undefined, answer.text);
  return { id: answer.body.conversation.id, approval: approval.uuid };
}

/** Says yes, again and again while a service is away, and waits for the call's result in the conversation. */
export async function approve(
  gateway: Client,
  id: string,
  approval: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  await until(
    'the decision is recorded',
    async () => {
      const answer = await gateway.post(
        `/approvals/${approval}`,
        { answer: 'yes' },
        { 'X-Approver': 'alice', ...headers },
      );
      if (answer.status === 503 || answer.status === 504) return undefined;
      // Said twice because the first answer was lost: the first one took effect.
      assert.ok([200, 202, 409].includes(answer.status), answer.text);
      return true;
    },
    patienceMs,
  );
  const calls = await until(
    'the call has its result',
    async () => {
      const { status, body } = await gateway.get(`/conversations/${id}`);
      if (status !== 200 || body.conversation.run?.status !== 'completed') return undefined;
      return body.conversation.messages.flatMap(({ tool_call }) =>
        tool_call?.result === undefined ? [] : [tool_call],
      );
    },
    patienceMs,
  );
  assert.equal(calls.length, 1);
  assert.equal(calls[0]?.is_error ?? false, false, JSON.stringify(calls));
}

/** How many resources of a name the tool server has, as the agent tells. */
export async function count(gateway: Client, name: string): Promise<number> {
  const answer = await gateway.post('/conversations', { message: 'list all resources' });
  assert.equal(answer.status, 201, answer.text);
  const [call] = answer.body.conversation.messages.flatMap(({ tool_call }) => tool_call?.result ?? []);
  assert.ok(call !== undefined, answer.text);
  return call.split(`"${name}"`).length - 1;
}

/** A conversation from beginning to end while containers crash between its steps and in the middle of one. */
export async function conversationThroughCrashes(composition: Composition, say: (line: string) => void): Promise<void> {
  const urls = await composition.gateways();
  const [first, second = first] = urls.map(client);
  assert.ok(first !== undefined && second !== undefined);
  const name = 'composed-1';
  const { id, approval } = await ask(first, name);
  say(`asked at ${urls[0]}: waits for approval`);
  for (const service of ['orchestrator', 'store']) {
    const [victim] = await composition.containers(service);
    assert.ok(victim !== undefined);
    await composition.crash(victim);
    say(`crashed ${victim.name}`);
  }
  await approve(second, id, approval);
  say(`approved at ${urls[1] ?? urls[0]}: the call has its result`);
  await composition.healthy();
  say('every container is healthy again');
  assert.equal(await count(first, name), 1);
  say('it ran once');
}
