import {
  type A2ARequestHandler,
  AgentCard,
  type AgentProfile,
  cardOf,
  requestReader,
  requireUncanceled,
  type Task,
  type TaskName,
  TaskNotCancelableError,
  type TextAgent,
  taskOf,
} from '@stopgo/a2a-agent';
import { DomainError } from '@stopgo/core';
import { callMarginMs } from '../bounds.ts';
import { soundView } from '../render/sound-view.ts';
import { permit, type RouteDependencies } from '../routes/route.ts';
import { type A2ACall, cancelerOf } from './call.ts';
import { extensionsOf } from './extensions.ts';
import { listTasks } from './list.ts';
import { extended } from './profile.ts';
import { createPushConfig, deletePushConfig, getPushConfig, listPushConfigs } from './push.ts';
import { send } from './send.ts';
import { follow, sendAndFollow } from './stream.ts';
import { recentHistory, viewOf } from './task-view.ts';

/** What a handler needs besides the services. */
export type HandlerDependencies = RouteDependencies & {
  readonly profile: () => Promise<AgentProfile>;
  /** An error as the peer may read it. */
  readonly asA2AError: (error: unknown) => Error;
};

/** The operations of A2A for one request, with whatever stands before them. Errors are such that a peer may read them. */
export function handlerOf(deps: HandlerDependencies, call: A2ACall): A2ARequestHandler {
  const handler = requestReader(textAgent(deps, call), {
    dialect: call.dialect,
    messageBytesMax: deps.limits.messageBytes,
    takesFiles: true,
    tellsOfTasks: deps.a2aPush !== false,
    streams: deps.a2aStreaming !== false,
    extensions: extensionsOf(deps),
    named: call.extensions,
    unreadable: call.unreadable,
    readable: deps.asA2AError,
  });
  return deps.interceptA2A?.(handler, call) ?? handler;
}

/**
 * The agent over the services, for one request that has been read: whatever it needs to know stands in the log, so that any replica
 * can answer the next one.
 */
function textAgent(deps: HandlerDependencies, call: A2ACall): TextAgent {
  return {
    card: async () => AgentCard.fromJSON(cardOf(await deps.profile())),
    extendedCard: async () => {
      await permit(deps, call.frame, 'card.read_extended', { kind: 'service' });
      return AgentCard.fromJSON(cardOf(extended(await deps.profile(), deps, call.dialect)));
    },
    send: async (said, { historyLength, isAtOnce }) => {
      const { view, says } = await send(deps, call, said, isAtOnce ? 0 : deps.syncWaitMs);
      const history = await recentHistory(deps, call, view, historyLength);
      return taskOf(view, { history, withHitl: call.withHitl, ...(says === undefined ? {} : { says }) });
    },
    sendAndFollow: (said) => sendAndFollow(deps, call, said),
    follow: (task) => follow(deps, call, task),
    get: async (task, historyLength) => {
      const view = await viewOf(deps, call, task);
      await permit(deps, call.frame, 'conversation.read', { kind: 'conversation', id: view.head.id });
      return taskOf(view, { history: await recentHistory(deps, call, view, historyLength), withHitl: call.withHitl });
    },
    list: (page) => listTasks(deps, call, page),
    cancel: (task) => cancel(deps, call, task),
    createPush: (task, push) => createPushConfig(deps, call, task, push),
    getPush: (task, configId) => getPushConfig(deps, call, task, configId),
    listPush: (task) => listPushConfigs(deps, call, task),
    deletePush: (task, configId) => deletePushConfig(deps, call, task, configId),
  };
}

/** Cancels the task's open run. A canceled task is answered as it is; one that has ended otherwise cannot be canceled. */
async function cancel(deps: RouteDependencies, call: A2ACall, task: TaskName): Promise<Task> {
  const view = await viewOf(deps, call, task);
  const { head } = view;
  requireUncanceled(call.dialect, taskOf(view));
  await permit(deps, call.frame, 'run.cancel', { kind: 'conversation', id: head.id });
  const answer = deps.clients.orchestrator.cancelRun(
    { conversationId: head.id, reason: 'canceled by the peer', caller: { actor: cancelerOf(call) } },
    { context: call.frame.context, timeoutMs: callMarginMs },
  );
  const { turn } = await answer.catch((error: unknown) => {
    if (error instanceof DomainError && error.kind === 'failed_precondition') {
      throw new TaskNotCancelableError(`Task cannot be canceled: ${error.message}`);
    }
    throw error;
  });
  return taskOf(soundView(turn?.view));
}
