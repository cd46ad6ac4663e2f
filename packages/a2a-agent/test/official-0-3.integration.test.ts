import { randomUUID } from 'node:crypto';
import type { MessageSendParams, Task } from 'a2a-sdk-0-3';
import { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from 'a2a-sdk-0-3/client';
import { GrpcTransportFactory } from 'a2a-sdk-0-3/client/grpc';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Agent, InputRequired, startAgent } from '../src/agent/index.ts';

/** The official client of the 0.3 line, which finds each transport by the card. */
const TRANSPORTS = {
  'JSON-RPC': new JsonRpcTransportFactory(),
  'HTTP+JSON': new RestTransportFactory(),
  gRPC: new GrpcTransportFactory(),
};
type Client = Awaited<ReturnType<ClientFactory['createFromUrl']>>;

let agent: Agent;
let goOn: () => void;

beforeEach(async () => {
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  agent = await startAgent({
    name: 'small',
    description: '',
    grpcPort: 0,
    process: async ({ text }) => {
      if (text === 'ask') throw new InputRequired('Which one?');
      if (text === 'hold') await held;
      return 'done';
    },
  });
});
afterEach(async () => {
  goOn();
  await agent.stop();
});

const connect = (transport: (typeof TRANSPORTS)[keyof typeof TRANSPORTS]): Promise<Client> =>
  new ClientFactory({ transports: [transport] }).createFromUrl(agent.address);

const saying = (text: string, more: Partial<MessageSendParams> & { readonly taskId?: string } = {}) => {
  const { taskId, ...rest } = more;
  const parts = [{ kind: 'text' as const, text }];
  const message = { kind: 'message' as const, role: 'user' as const, messageId: randomUUID(), parts };
  return { message: { ...message, ...(taskId === undefined ? {} : { taskId }) }, ...rest };
};

describe.each(Object.entries(TRANSPORTS))('over %s', (_how, transport) => {
  test('a message sent as not blocking is answered while its task is worked on', async () => {
    const client = await connect(transport);
    const sent = (await client.sendMessage(saying('hold', { configuration: { blocking: false } }))) as Task;
    expect(['submitted', 'working']).toContain(sent.status.state);
  });

  test('a message is answered with what its task came to, unless it says otherwise', async () => {
    const client = await connect(transport);
    expect(await client.sendMessage(saying('now'))).toMatchObject({ status: { state: 'completed' } });
    const blocking = saying('now', { configuration: { blocking: true } });
    expect(await client.sendMessage(blocking)).toMatchObject({ status: { state: 'completed' } });
  });

  test('the last status that a task will have is final, and no other', async () => {
    const client = await connect(transport);
    const finals = async (events: ReturnType<Client['resubscribeTask']>) => {
      const told: string[] = [];
      for await (const event of events)
        if (event.kind === 'status-update') told.push(`${event.status.state} ${String(event.final)}`);
      return told;
    };
    const asked = await finals(client.sendMessageStream(saying('ask')));
    expect(asked.at(-1)).toBe('input-required false');
    const waiting = (await client.sendMessage(saying('ask'))) as Task;
    const followed = client.resubscribeTask({ id: waiting.id });
    await followed.next();
    const ended = finals(followed);
    expect((await finals(client.sendMessageStream(saying('now', { taskId: waiting.id })))).at(-1)).toBe(
      'completed true',
    );
    expect(await ended).toEqual(['working false', 'completed true']);
  });
});

test('over HTTP+JSON a configuration that does not say blocking says false, and none at all says nothing', async () => {
  const post = async (text: string, configuration: object) => {
    const request = { messageId: randomUUID(), role: 'ROLE_USER', content: [{ text }] };
    const body = JSON.stringify({ request, ...configuration });
    const answer = await fetch(`${agent.address}/v1/message:send`, { method: 'POST', body });
    return ((await answer.json()) as { readonly task: { readonly status: { readonly state: string } } }).task.status
      .state;
  };
  expect(await post('hold', { configuration: {} })).not.toBe('TASK_STATE_COMPLETED');
  expect(await post('hold', { configuration: { historyLength: 3 } })).not.toBe('TASK_STATE_COMPLETED');
  expect(await post('now', { configuration: { blocking: true } })).toBe('TASK_STATE_COMPLETED');
  expect(await post('now', {})).toBe('TASK_STATE_COMPLETED');
});
