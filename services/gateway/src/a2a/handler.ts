import {
  type A2ARequestHandler,
  AgentCard,
  type AgentProfile,
  cardOf,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  requireNamed,
  requireUncanceled,
  TaskNotCancelableError,
  taskOf,
  UnsupportedOperationError,
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
  readonly asA2AError: (error: unknown, call: A2ACall) => Error;
};

/** The operations of A2A for one request, with whatever stands before them. */
export function handlerOf(deps: HandlerDependencies, call: A2ACall): A2ARequestHandler {
  const handler = requestHandler(deps, call);
  return deps.interceptA2A?.(handler, call) ?? handler;
}

/**
 * The operations of A2A for one request, over the services: whatever they need to know stands in the log, so that any
 * replica can answer the next one. Errors are such that a peer may read them.
 */
function requestHandler(deps: HandlerDependencies, call: A2ACall): A2ARequestHandler {
  const admit = (params: Addressed): void => {
    if (call.unreadable !== undefined) throw call.unreadable;
    requireNoTenant(params);
    requireNamed(extensionsOf(deps), call.extensions);
  };
  const guard = async <T>(params: Addressed, work: () => Promise<T>): Promise<T> => {
    try {
      admit(params);
      return await work();
    } catch (error) {
      throw deps.asA2AError(error, call);
    }
  };
  const guarded = async function* <T>(params: Addressed, work: () => AsyncGenerator<T, void>) {
    try {
      admit(params);
      yield* work();
    } catch (error) {
      throw deps.asA2AError(error, call);
    }
  };
  const card = async () => AgentCard.fromJSON(cardOf(await deps.profile()));
  const extendedCard = async () => {
    await permit(deps, call.frame, 'card.read_extended', { kind: 'service' });
    return AgentCard.fromJSON(cardOf(extended(await deps.profile(), deps, call.dialect)));
  };
  return {
    getAgentCard: card,
    getAuthenticatedExtendedAgentCard: (params) => guard(params, extendedCard),
    sendMessage: (params) =>
      guard(params, async () => {
        const { configuration } = params;
        const length = historyLength(configuration?.historyLength) ?? 0;
        const { view, says } = await send(deps, call, params, configuration?.returnImmediately ? 0 : deps.syncWaitMs);
        const history = await recentHistory(deps, call, view, length);
        return taskOf(view, { history, withHitl: call.withHitl, ...(says === undefined ? {} : { says }) });
      }),
    sendMessageStream: (params) => guarded(params, () => sendAndFollow(streaming(deps), call, params)),
    resubscribe: (params) => guarded(params, () => follow(streaming(deps), call, params.id)),
    getTask: (params) =>
      guard(params, async () => {
        const length = historyLength(params.historyLength);
        const view = await viewOf(deps, call, params.id);
        await permit(deps, call.frame, 'conversation.read', { kind: 'conversation', id: view.head.id });
        return taskOf(view, { history: await recentHistory(deps, call, view, length), withHitl: call.withHitl });
      }),
    listTasks: (params) => guard(params, () => listTasks(deps, call, params)),
    cancelTask: (params) => guard(params, () => cancel(deps, call, params.id)),
    createTaskPushNotificationConfig: (params) => guard(params, () => createPushConfig(pushing(deps), call, params)),
    getTaskPushNotificationConfig: (params) => guard(params, () => getPushConfig(pushing(deps), call, params)),
    listTaskPushNotificationConfigs: (params) => guard(params, () => listPushConfigs(pushing(deps), call, params)),
    deleteTaskPushNotificationConfig: (params) => guard(params, () => deletePushConfig(pushing(deps), call, params)),
  };
}

/** @throws A2AError if the agent has no event streams. */
function streaming(deps: HandlerDependencies): HandlerDependencies {
  if (deps.a2aStreaming !== false) return deps;
  throw new UnsupportedOperationError('this agent has no event streams; send the message and get the task');
}

/** @throws A2AError if the agent tells no addresses of tasks. */
function pushing(deps: HandlerDependencies): HandlerDependencies {
  if (deps.a2aPush !== false) return deps;
  throw new PushNotificationNotSupportedError();
}

type Addressed = { readonly tenant?: string };

/** There is one agent here: whoever addresses another one must not get this one's tasks. */
function requireNoTenant({ tenant = '' }: Addressed): void {
  if (tenant !== '') throw new RequestMalformedError('there is no such tenant here; leave the tenant out');
}

/** Cancels the task's open run. A canceled task is answered as it is; one that has ended otherwise cannot be canceled. */
async function cancel(deps: RouteDependencies, call: A2ACall, taskId: string) {
  const view = await viewOf(deps, call, taskId);
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

function historyLength(asked: number | undefined): number | undefined {
  if (asked === undefined) return undefined;
  if (!Number.isInteger(asked) || asked < 0) throw new RequestMalformedError('historyLength must be 0 or more');
  return asked;
}
