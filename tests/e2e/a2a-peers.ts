import { randomUUID } from 'node:crypto';
import { TaskState } from '@a2a-js/sdk';
import { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { LegacyJsonRpcTransport, LegacyRestTransport } from '@a2a-js/sdk/compat/v0_3/client';
import { LegacyGrpcTransport } from '@a2a-js/sdk/compat/v0_3/client/grpc';
import { A2AError } from '@a2a-js/sdk/errors';
import type * as v03 from 'a2a-sdk-0-3';
import {
  ClientFactory as ClientFactory03,
  JsonRpcTransportFactory as JsonRpc03,
  RestTransportFactory as Rest03,
} from 'a2a-sdk-0-3/client';
import { GrpcTransportFactory as Grpc03 } from 'a2a-sdk-0-3/client/grpc';
import { data, dataOf, type Peer as Modern, said, text, textsOf } from './a2a.ts';

/** What a peer says, whatever it speaks. */
export type Saying = {
  readonly text?: string;
  readonly data?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly taskId?: string;
  /** Two sayings of one id are the same message; without one it is a new message. */
  readonly messageId?: string;
};

/** A task as a peer sees it. */
export type SeenTask = {
  readonly id: string;
  readonly contextId: string;
  /** In the words of 0.3. */
  readonly state: string;
  /** What its status says: texts, then data. */
  readonly says: string;
  readonly shown: readonly unknown[];
  /** The texts of its artifacts. */
  readonly results: readonly string[];
  readonly history: readonly string[];
};

/** An event of a stream: of what kind, and the state or text that it tells. */
export type SeenEvent = { readonly kind: 'task' | 'status' | 'artifact' | 'message'; readonly tells: string };

/** Headers, or metadata of gRPC, of one request. */
export type Headers = Readonly<Record<string, string>>;

/** A client of an official SDK, in whichever version and over whichever transport. */
export type StoryPeer = {
  send(saying: Saying, headers?: Headers): Promise<SeenTask>;
  get(id: string, historyLength?: number): Promise<SeenTask>;
  cancel(id: string): Promise<SeenTask>;
  stream(saying: Saying): AsyncGenerator<SeenEvent, void>;
  follow(id: string): AsyncGenerator<SeenEvent, void>;
};

const wordOf = (state: TaskState | undefined): string =>
  (TaskState[state ?? 0] ?? 'unknown')
    .replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replaceAll('_', '-');

/** The SDK of the 1.x line, by its client or by one of its transports of 0.3. */
function modern(peer: Modern): StoryPeer {
  const seen = (answer: Awaited<ReturnType<Modern['sendMessage']>>): SeenTask => {
    if ('messageId' in answer) throw new Error('the answer is a message, not a task');
    return {
      id: answer.id,
      contextId: answer.contextId,
      state: wordOf(answer.status?.state),
      says: textsOf(answer.status?.message?.parts),
      shown: dataOf(answer.status?.message?.parts),
      results: answer.artifacts.map(({ parts }) => textsOf(parts)),
      history: answer.history.map(({ parts }) => textsOf(parts)),
    };
  };
  const request = ({ text: words, data: value, ...more }: Saying) =>
    said([...(words === undefined ? [] : [text(words)]), ...(value === undefined ? [] : [data(value)])], more);
  async function* spoken(stream: ReturnType<Modern['resubscribeTask']>) {
    try {
      yield* stream;
    } catch (error) {
      throw error instanceof Error && error.cause instanceof A2AError ? error.cause : error;
    }
  }
  async function* events(stream: ReturnType<Modern['resubscribeTask']>): AsyncGenerator<SeenEvent, void> {
    for await (const { payload } of spoken(stream)) {
      switch (payload?.$case) {
        case 'task':
          yield { kind: 'task', tells: wordOf(payload.value.status?.state) };
          break;
        case 'statusUpdate':
          yield { kind: 'status', tells: wordOf(payload.value.status?.state) };
          break;
        case 'artifactUpdate':
          yield { kind: 'artifact', tells: textsOf(payload.value.artifact?.parts) };
          break;
        default:
          yield { kind: 'message', tells: payload?.$case ?? 'nothing' };
      }
    }
  }
  return {
    send: async (saying, serviceParameters = {}) =>
      seen(await peer.sendMessage(request(saying), { serviceParameters: { ...serviceParameters } })),
    get: async (id, historyLength) =>
      seen(await peer.getTask({ tenant: '', id, ...(historyLength === undefined ? {} : { historyLength }) })),
    cancel: async (id) => seen(await peer.cancelTask({ tenant: '', id, metadata: undefined })),
    stream: (saying) => events(peer.sendMessageStream(request(saying))),
    follow: (id) => events(peer.resubscribeTask({ tenant: '', id })),
  };
}

type Client03 = Awaited<ReturnType<ClientFactory03['createFromUrl']>>;

const texts03 = (parts: readonly v03.Part[] = []): string =>
  parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');

/** The SDK of the 0.3 line. */
function older(peer: Client03): StoryPeer {
  const seen = (answer: v03.Task | v03.Message): SeenTask => {
    if (answer.kind !== 'task') throw new Error('the answer is a message, not a task');
    const { id, contextId, status, artifacts = [], history = [] } = answer;
    const parts = status.message?.parts ?? [];
    return {
      id,
      contextId,
      state: status.state,
      says: texts03(parts),
      shown: parts.flatMap((part) => (part.kind === 'data' ? [part.data] : [])),
      results: artifacts.map((artifact) => texts03(artifact.parts)),
      history: history.map((message) => texts03(message.parts)),
    };
  };
  const request = ({ text: words, data: value, messageId = randomUUID(), ...more }: Saying): v03.MessageSendParams => ({
    message: {
      kind: 'message',
      role: 'user',
      messageId,
      parts: [
        ...(words === undefined ? [] : [{ kind: 'text' as const, text: words }]),
        ...(value === undefined ? [] : [{ kind: 'data' as const, data: value as Record<string, unknown> }]),
      ],
      ...more,
    },
  });
  async function* spoken(stream: ReturnType<Client03['resubscribeTask']>) {
    try {
      yield* stream;
    } catch (error) {
      throw refusal03(error);
    }
  }
  async function* events(stream: ReturnType<Client03['resubscribeTask']>): AsyncGenerator<SeenEvent, void> {
    for await (const event of spoken(stream)) {
      switch (event.kind) {
        case 'task':
          yield { kind: 'task', tells: event.status.state };
          break;
        case 'status-update':
          yield { kind: 'status', tells: event.status.state };
          break;
        case 'artifact-update':
          yield { kind: 'artifact', tells: texts03(event.artifact.parts) };
          break;
        case 'message':
          yield { kind: 'message', tells: texts03(event.parts) };
      }
    }
  }
  const heard = async (answer: Promise<v03.Task | v03.Message>): Promise<SeenTask> => {
    try {
      return seen(await answer);
    } catch (error) {
      throw refusal03(error);
    }
  };
  return {
    send: (saying, serviceParameters = {}) =>
      heard(peer.sendMessage(request(saying), { serviceParameters: { ...serviceParameters } })),
    get: (id, historyLength) => heard(peer.getTask({ id, ...(historyLength === undefined ? {} : { historyLength }) })),
    cancel: (id) => heard(peer.cancelTask({ id })),
    stream: (saying) => events(peer.sendMessageStream(request(saying))),
    follow: (id) => events(peer.resubscribeTask({ id })),
  };
}

/** What an agent has refused in its own words, which the SDK of 0.3 keeps apart from the text of the error. */
function refusal03(error: unknown): unknown {
  for (const at of [error, error instanceof Error ? error.cause : undefined]) {
    if (!(at instanceof Error) || !('errorResponse' in at)) continue;
    const { errorResponse } = at as { readonly errorResponse: { readonly error: { readonly message: string } } };
    const said = new Error(errorResponse.error.message);
    said.name = at.name;
    return said;
  }
  return error;
}

type Connect = (url: string) => Promise<StoryPeer>;

const byCard =
  (transport: NonNullable<ConstructorParameters<typeof ClientFactory>[0]>['transports'][number]): Connect =>
  async (url) =>
    modern(await new ClientFactory({ transports: [transport] }).createFromUrl(url));

const byCard03 =
  (transport: NonNullable<ConstructorParameters<typeof ClientFactory03>[0]>['transports'][number]): Connect =>
  async (url) =>
    older(await new ClientFactory03({ transports: [transport] }).createFromUrl(url));

/** Each way to speak with an agent, as the official SDKs do it; where the SDK lets it, as they find it by its card. */
export const STORY_PEERS: Readonly<Record<string, Connect>> = {
  '1.x, 1.0 over JSON-RPC': byCard(new JsonRpcTransportFactory()),
  '1.x, 1.0 over HTTP+JSON': byCard(new RestTransportFactory()),
  '1.x, 1.0 over gRPC': byCard(new GrpcTransportFactory()),
  '1.x, 0.3 over JSON-RPC': async (url) => modern(new LegacyJsonRpcTransport({ endpoint: `${url}/a2a/v1` })),
  '1.x, 0.3 over HTTP+JSON': async (url) => modern(new LegacyRestTransport({ endpoint: url })),
  '1.x, 0.3 over gRPC': async (url) => modern(new LegacyGrpcTransport({ endpoint: await grpcAddressOf(url) })),
  '0.3.x over JSON-RPC': byCard03(new JsonRpc03()),
  '0.3.x over HTTP+JSON': byCard03(new Rest03()),
  '0.3.x over gRPC': byCard03(new Grpc03()),
};

/** Where an agent says that it speaks gRPC, as an address without a scheme. */
async function grpcAddressOf(url: string): Promise<string> {
  const card = await (await fetch(`${url}/.well-known/agent-card.json`)).json();
  const { additionalInterfaces } = card as { readonly additionalInterfaces: { url: string; transport: string }[] };
  return (additionalInterfaces.find(({ transport }) => transport === 'GRPC')?.url ?? '').replace(/^http:\/\//, '');
}
