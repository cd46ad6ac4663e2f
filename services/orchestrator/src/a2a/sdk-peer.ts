import type { AgentCard, Message, Part, SendMessageRequest } from '@a2a-js/sdk';
import type { Transport } from '@a2a-js/sdk/client';
import { isObject } from '../models/json.ts';
import type { ModelFetch } from '../models/model-fetch.ts';
import { contextTasksMax } from './bounds.ts';
import type { Endpoint } from './endpoint.ts';
import type { Peer, RequestScope, Sending } from './peer.ts';
import { failureOf } from './protocol-error.ts';
import type { RemoteAnswer } from './remote-answer.ts';
import { answerSeen, StreamedTask, taskSeen } from './sdk-answer.ts';

const userRole = 1;

/** An agent of version 1.0 or 0.3, by the official SDK. It is loaded with the first such agent. */
export async function sdkPeer(endpoint: Endpoint, fetch: ModelFetch): Promise<Peer> {
  const { dialect, tenant, binding } = endpoint;
  const transport = await transportTo(endpoint, fetch);
  const options = ({ headers, signal }: RequestScope) => ({
    signal,
    serviceParameters: { ...headers, 'A2A-Version': dialect },
  });
  // The SDK prints what it cannot read of an event stream over HTTP+JSON, which may be anything.
  const streams = endpoint.streams && binding === 'JSONRPC';
  return {
    async *send(sending, scope) {
      const request = requestOf(sending, tenant);
      if (!streams) {
        yield answerSeen(await definite(transport.sendMessage(request, options(scope))));
        return;
      }
      const task = new StreamedTask();
      yield* answersOf(transport.sendMessageStream(request, options(scope)), task);
    },
    get: async (id, scope) =>
      taskSeen(await definite(transport.getTask({ tenant, id, historyLength: 0 }, options(scope)))),
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
      const { tasks } = await definite(transport.listTasks(request, options(scope)));
      // Whether the agent heeds the filter is its own affair.
      return tasks.filter((task) => task.contextId === contextId).map(taskSeen);
    },
    cancel: async (id, scope) =>
      void (await definite(transport.cancelTask({ tenant, id, metadata: undefined }, options(scope)))),
  };
}

async function transportTo({ url, binding, dialect, tenant }: Endpoint, fetch: ModelFetch): Promise<Transport> {
  const { JsonRpcTransportFactory, RestTransportFactory } = await import('@a2a-js/sdk/client');
  const given = { fetchImpl: fetch, legacyCompat: { enabled: true } };
  const factory = binding === 'JSONRPC' ? new JsonRpcTransportFactory(given) : new RestTransportFactory(given);
  // It looks up the version for the address, and nothing else.
  const card: AgentCard = {
    name: '',
    description: '',
    version: '',
    supportedInterfaces: [{ url, protocolBinding: binding, protocolVersion: dialect, tenant }],
    provider: undefined,
    capabilities: undefined,
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
    signatures: [],
  };
  return factory.create(url, card);
}

function requestOf(
  { text, messageId, contextId, taskId = '', data, mayTakeLong = false }: Sending,
  tenant: string,
): SendMessageRequest {
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
    returnImmediately: !mayTakeLong,
  };
  return { tenant, message, configuration, metadata: undefined };
}

async function* answersOf(
  events: ReturnType<Transport['sendMessageStream']>,
  task: StreamedTask,
): AsyncGenerator<RemoteAnswer> {
  try {
    for await (const event of events) {
      const answer = task.after(event);
      if (answer !== undefined) yield answer;
    }
  } catch (error) {
    throw failureIn(error);
  }
}

async function definite<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw failureIn(error);
  }
}

/** The agent's own error, which the SDK knows by its code and may have wrapped; otherwise the error as it is. */
function failureIn(error: unknown): unknown {
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    if (isObject(at) && 'envelopeCode' in at && typeof at.envelopeCode === 'number')
      return failureOf(at.envelopeCode, at.message);
  return error;
}
