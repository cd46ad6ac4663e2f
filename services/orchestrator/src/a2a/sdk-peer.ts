import type { AgentCard, Message, Part, SendMessageRequest } from '@a2a-js/sdk';
import type { Transport } from '@a2a-js/sdk/client';
import type { BoundedFetch } from '../bounded-fetch.ts';
import { isObject } from '../models/json.ts';
import { contextTasksMax } from './bounds.ts';
import type { Endpoint } from './endpoint.ts';
import { grpcFailureOf, isGrpcError } from './grpc-failure.ts';
import type { GrpcTransports } from './grpc-transports.ts';
import type { Peer, RequestScope, Sending } from './peer.ts';
import { failureOf } from './protocol-error.ts';
import { hasEnded, type RemoteAnswer } from './remote-answer.ts';
import { answerSeen, StreamedTask, taskSeen } from './sdk-answer.ts';
import { soundEvents } from './sound-events.ts';

const userRole = 1;

/** What requests go over. */
export type Ways = { readonly fetch: BoundedFetch; readonly grpc: GrpcTransports };

/** An agent of version 1.0 or 0.3, by the official SDK. It is loaded with the first such agent. */
export async function sdkPeer(endpoint: Endpoint, ways: Ways): Promise<Peer> {
  const { dialect, tenant, streams, binding } = endpoint;
  const transport = await transportTo(endpoint, ways);
  const options = ({ headers, signal }: RequestScope) => ({
    signal,
    serviceParameters: { ...headers, 'A2A-Version': dialect },
  });
  const seenNow = async (id: string, scope: RequestScope) =>
    taskSeen(await definite(transport.getTask({ tenant, id, historyLength: 0 }, options(scope)), scope));
  return {
    async *send(sending, scope) {
      const request = requestOf(sending, tenant);
      if (!streams) {
        yield answerSeen(await definite(transport.sendMessage(request, options(scope)), scope));
        return;
      }
      const task = new StreamedTask();
      for await (const answer of answersOf(transport.sendMessageStream(request, options(scope)), task, scope)) {
        // Of 0.3 the SDK tells pieces of a result from whole ones over JSON-RPC only.
        const isWhole = dialect === '1.0' || binding === 'JSONRPC';
        const isDone = answer.kind === 'task' && hasEnded(answer.task.state);
        yield isDone && !isWhole ? { kind: 'task', task: await seenNow(answer.task.id, asQuestion(scope)) } : answer;
      }
    },
    get: seenNow,
    async list(contextId, scope) {
      if (dialect !== '1.0') return undefined;
      const request = {
        tenant,
        contextId,
        status: 0,
        pageSize: contextTasksMax,
        pageToken: '',
        historyLength: 0,
        statusTimestampAfter: undefined,
        includeArtifacts: false,
      };
      const { tasks } = await definite(transport.listTasks(request, options(scope)), scope);
      // Whether the agent heeds the filter is its own affair.
      return tasks.filter((task) => task.contextId === contextId).map(taskSeen);
    },
    cancel: async (id, scope) =>
      void (await definite(transport.cancelTask({ tenant, id, metadata: undefined }, options(scope)), scope)),
    async notify(taskId, { id, url, token }, scope) {
      // Some agents send the token, some the credentials, some both.
      const credentials = token.reveal();
      const authentication = { scheme: 'Bearer', credentials };
      const config = { tenant, taskId, id, url, token: credentials, authentication };
      await definite(transport.createTaskPushNotificationConfig(config, options(scope)), scope);
    },
  };
}

/** What goes with a message, without the key under which it is sent: no other request has that. */
function asQuestion({ headers, signal }: RequestScope): RequestScope {
  const { 'Idempotency-Key': _key, ...rest } = headers;
  return { headers: rest, signal };
}

async function transportTo({ url, binding, dialect, tenant }: Endpoint, { fetch, grpc }: Ways): Promise<Transport> {
  const card = (address: string) => cardAt(address, binding, dialect, tenant);
  if (binding === 'GRPC') return grpc.to(url, dialect, card);
  const { JsonRpcTransportFactory, RestTransportFactory } = await import('@a2a-js/sdk/client');
  const legacyCompat = { enabled: true };
  if (binding === 'JSONRPC')
    return new JsonRpcTransportFactory({ fetchImpl: fetch, legacyCompat }).create(url, card(url));
  if (dialect === '0.3') return new RestTransportFactory({ fetchImpl: fetch, legacyCompat }).create(url, card(url));
  const { StreamResponse } = await import('@a2a-js/sdk');
  const isSound = (data: string): boolean => data === '' || isReadable(data, (json) => StreamResponse.fromJSON(json));
  const fetchImpl: BoundedFetch = async (...request) => soundEvents(await fetch(...request), isSound);
  return new RestTransportFactory({ fetchImpl }).create(url, card(url));
}

function isReadable(data: string, read: (json: unknown) => unknown): boolean {
  try {
    read(JSON.parse(data));
    return true;
  } catch {
    return false;
  }
}

/** The transports look up the version for the address in it, and nothing else. */
function cardAt(url: string, protocolBinding: string, protocolVersion: string, tenant: string): AgentCard {
  return {
    name: '',
    description: '',
    version: '',
    supportedInterfaces: [{ url, protocolBinding, protocolVersion, tenant }],
    provider: undefined,
    capabilities: undefined,
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
    signatures: [],
  };
}

function requestOf({ text, messageId, contextId, taskId = '', data }: Sending, tenant: string): SendMessageRequest {
  const bare = { metadata: undefined, filename: '' };
  const said: Part = { ...bare, content: { $case: 'text', value: text }, mediaType: 'text/plain' };
  const shown: Part[] = data === undefined ? [] : [{ ...bare, content: { $case: 'data', value: data }, mediaType: '' }];
  const message: Message = {
    messageId,
    contextId,
    taskId,
    role: userRole,
    parts: [said, ...shown],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
  // Its id is worth more than an answer that may take long: without it nothing could be asked or canceled.
  const configuration = {
    acceptedOutputModes: [],
    taskPushNotificationConfig: undefined,
    historyLength: 0,
    returnImmediately: true,
  };
  return { tenant, message, configuration, metadata: undefined };
}

async function* answersOf(
  events: ReturnType<Transport['sendMessageStream']>,
  task: StreamedTask,
  scope: RequestScope,
): AsyncGenerator<RemoteAnswer> {
  try {
    for await (const event of events) {
      const answer = task.after(event);
      if (answer !== undefined) yield answer;
    }
  } catch (error) {
    throw failureIn(error, scope);
  }
}

async function definite<T>(answer: Promise<T>, scope: RequestScope): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw failureIn(error, scope);
  }
}

/** The agent's own error, which the SDK knows by its code and may have wrapped; otherwise the error as it is. */
function failureIn(error: unknown, { signal }: RequestScope): unknown {
  // gRPC says no more than that it was canceled.
  if (signal.aborted) return signal.reason;
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (isGrpcError(at)) return grpcFailureOf(at);
    if (isObject(at) && 'envelopeCode' in at && typeof at.envelopeCode === 'number')
      return failureOf(at.envelopeCode, at.message);
  }
  return error;
}
