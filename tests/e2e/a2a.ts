import { randomUUID } from 'node:crypto';
import { type Message, type Part, Role, type SendMessageRequest, type Task } from '@a2a-js/sdk';
import {
  type Client as A2AClient,
  ClientFactory,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { LegacyJsonRpcTransport, LegacyRestTransport } from '@a2a-js/sdk/compat/v0_3/client';
import { LegacyGrpcTransport } from '@a2a-js/sdk/compat/v0_3/client/grpc';

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

/** Each way to speak with an agent, as the official SDK does it. */
export const PEERS: Readonly<Record<string, (url: string) => Promise<Peer>>> = {
  '1.0 over JSON-RPC': (url) => new ClientFactory({ transports: [new JsonRpcTransportFactory()] }).createFromUrl(url),
  '1.0 over HTTP+JSON': (url) => new ClientFactory({ transports: [new RestTransportFactory()] }).createFromUrl(url),
  '1.0 over gRPC': (url) => new ClientFactory({ transports: [new GrpcTransportFactory()] }).createFromUrl(url),
  '0.3 over JSON-RPC': async (url) => client03Of(url),
  '0.3 over HTTP+JSON': async (url) => new LegacyRestTransport({ endpoint: url }),
  '0.3 over gRPC': async (url) => new LegacyGrpcTransport({ endpoint: await grpcAddressOf(url) }),
};

/** Where an agent says that it speaks gRPC. */
async function grpcAddressOf(url: string): Promise<string> {
  const card = await (await fetch(`${url}/.well-known/agent-card.json`)).json();
  const { additionalInterfaces } = card as { readonly additionalInterfaces: { url: string; transport: string }[] };
  return additionalInterfaces.find(({ transport }) => transport === 'GRPC')?.url ?? '';
}
