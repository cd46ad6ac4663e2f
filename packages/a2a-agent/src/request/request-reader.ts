import { type Extensions, requireNamed } from '../extensions.ts';
import { type A2ARequestHandler, PushNotificationNotSupportedError, UnsupportedOperationError } from '../protocol.ts';
import { readPage } from './asked-page.ts';
import { readHistoryLength } from './history-length.ts';
import { readPush } from './push.ts';
import { type MessageRules, readMessage } from './said-message.ts';
import { readTaskName } from './task-name.ts';
import { requireNoTenant } from './tenant.ts';
import type { TextAgent } from './text-agent.ts';

/** What is known of a request before its params are read, and what its agent takes. */
export type RequestRules = MessageRules & {
  /** What is wrong with its headers; every operation throws it. */
  readonly unreadable?: unknown;
  readonly extensions: Extensions;
  /** The extensions that the peer names. */
  readonly named: readonly string[];
  /** False: there are no event streams. */
  readonly streams: boolean;
  /** An error as the peer may read it. */
  readonly readable: (error: unknown) => Error;
};

type Addressed = { readonly tenant?: string };

/**
 * Reads the requests of one peer for an agent, whichever transport they come over. A request is refused for what is wrong with it first:
 * its headers, its tenant, extensions that it does not name, what the agent does not do, then its params.
 */
export function requestReader(agent: TextAgent, rules: RequestRules): A2ARequestHandler {
  const admit = (params: Addressed): void => {
    if (rules.unreadable !== undefined) throw rules.unreadable;
    requireNoTenant(params);
    requireNamed(rules.extensions, rules.named);
  };
  const answer = async <T>(params: Addressed, work: () => Promise<T>): Promise<T> => {
    try {
      admit(params);
      return await work();
    } catch (error) {
      throw rules.readable(error);
    }
  };
  const stream = async function* <T>(params: Addressed, work: () => AsyncGenerator<T, void>) {
    try {
      admit(params);
      if (!rules.streams) throw noStreams();
      yield* work();
    } catch (error) {
      throw rules.readable(error);
    }
  };
  const push = <T>(params: Addressed, work: () => Promise<T>): Promise<T> =>
    answer(params, () => {
      if (!rules.tellsOfTasks) throw new PushNotificationNotSupportedError();
      return work();
    });
  return {
    getAgentCard: () => agent.card(),
    getAuthenticatedExtendedAgentCard: (params) => answer(params, () => agent.extendedCard()),
    sendMessage: (params) =>
      answer(params, () => {
        const { configuration } = params;
        const historyLength = readHistoryLength(configuration?.historyLength) ?? 0;
        const isAtOnce = configuration?.returnImmediately === true;
        return agent.send(readMessage(params, rules), { historyLength, isAtOnce });
      }),
    sendMessageStream: (params) => stream(params, () => agent.sendAndFollow(readMessage(params, rules))),
    resubscribe: (params) => stream(params, () => agent.follow(readTaskName(params.id))),
    getTask: (params) =>
      answer(params, () => {
        const historyLength = readHistoryLength(params.historyLength);
        return agent.get(readTaskName(params.id), historyLength);
      }),
    listTasks: (params) => answer(params, () => agent.list(readPage(params))),
    cancelTask: (params) => answer(params, () => agent.cancel(readTaskName(params.id))),
    createTaskPushNotificationConfig: (params) =>
      push(params, () => agent.createPush(readTaskName(params.taskId), readPush(params, rules.dialect))),
    getTaskPushNotificationConfig: (params) =>
      push(params, () => agent.getPush(readTaskName(params.taskId), params.id)),
    listTaskPushNotificationConfigs: (params) =>
      push(params, async () => ({ configs: await agent.listPush(readTaskName(params.taskId)), nextPageToken: '' })),
    deleteTaskPushNotificationConfig: (params) =>
      push(params, () => agent.deletePush(readTaskName(params.taskId), params.id)),
  };
}

const noStreams = () =>
  new UnsupportedOperationError('this agent has no event streams; send the message and get the task');
