import { randomUUID } from 'node:crypto';
import { type Message, type Part, Role, type SendMessageRequest, type Task } from '@a2a-js/sdk';
import { type Client as A2AClient, ClientFactory } from '@a2a-js/sdk/client';
import { LegacyJsonRpcTransport } from '@a2a-js/sdk/compat/v0_3/client';

/** A message as the SDK takes it. */
export function said(parts: readonly Part[], more: Partial<Message> = {}): SendMessageRequest {
  return {
    tenant: '',
    configuration: undefined,
    metadata: undefined,
    message: {
      messageId: randomUUID(),
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [...parts],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
      ...more,
    },
  };
}

export const text = (value: string): Part => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: '',
});

export const data = (value: unknown): Part => ({
  content: { $case: 'data', value },
  metadata: undefined,
  filename: '',
  mediaType: '',
});

/** The official client of version 1.0, as it finds the agent by its card. */
export const clientOf = (url: string): Promise<A2AClient> => new ClientFactory().createFromUrl(url);

/** The official client's transport of version 0.3. */
export const client03Of = (url: string): LegacyJsonRpcTransport =>
  new LegacyJsonRpcTransport({ endpoint: `${url}/a2a/v1` });

/** Takes an answer that is to be a task. */
export function task(answer: Task | Message): Task {
  if ('messageId' in answer) throw new Error('the answer is a message, not a task');
  return answer;
}

/** The texts of parts, one after the other. */
export const textsOf = (parts: readonly Part[] = []): string =>
  parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])).join('\n');

/** The data of parts. */
export const dataOf = (parts: readonly Part[] = []): unknown[] =>
  parts.flatMap(({ content }) => (content?.$case === 'data' ? [content.value] : []));

/** A client of the official SDK, whatever it speaks. */
export type Peer = Pick<A2AClient, 'sendMessage' | 'getTask' | 'cancelTask' | 'sendMessageStream' | 'resubscribeTask'>;
