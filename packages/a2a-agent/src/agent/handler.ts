import { requireUncanceled } from '../cancel.ts';
import { type AgentProfile, cardOf, noExtendedCard } from '../card.ts';
import type { Dialect } from '../dialect.ts';
import {
  type A2ARequestHandler,
  AgentCard,
  type Message,
  type Part,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
  TaskState,
  UnsupportedOperationError,
} from '../protocol.ts';
import { readHistoryLength } from '../request/history-length.ts';
import { requireMessage } from '../request/said-message.ts';
import { requireNoTenant } from '../request/tenant.ts';
import { isWaiting, terminal } from '../task-state.ts';
import type { Turn } from './process.ts';
import { hasEnded, type TaskStore } from './task-store.ts';
import { revisionOf, type Tasks } from './tasks.ts';

/** What a handler needs of the agent. */
export type HandlerDependencies = {
  readonly tasks: Tasks;
  readonly store: TaskStore;
  readonly profile: AgentProfile;
  /** What the extended card says besides; undefined: there is none. */
  readonly extendedSkills: AgentProfile['skills'] | undefined;
  /** @throws A2AError for a peer that is not served. */
  readonly admit: () => void;
  /** A message in place of a task, for messages that are answered at once. */
  readonly reply: (message: Message) => Message | undefined;
  /** How long an answer waits for its task, in milliseconds. */
  readonly answerWaitMs: number;
  /** An error as the peer may read it. */
  readonly readable: (error: unknown) => Error;
};

/** One request on its way through the handler. */
export type HandlerCall = {
  readonly dialect: Dialect;
  readonly header: Turn['header'];
  readonly cursor: { revision: number | undefined };
  readonly signal: AbortSignal;
};

/** The operations of A2A over tasks in memory, for one request. */
export function requestHandler(deps: HandlerDependencies, call: HandlerCall): A2ARequestHandler {
  const { tasks, store, readable } = deps;
  const guard = async <T>(params: Addressed, work: () => T | Promise<T>): Promise<T> => {
    try {
      requireNoTenant(params);
      deps.admit();
      return await work();
    } catch (error) {
      throw readable(error);
    }
  };
  const guarded = async function* (params: Addressed, work: () => AsyncGenerator<StreamResponse, void>) {
    try {
      requireNoTenant(params);
      deps.admit();
      yield* work();
    } catch (error) {
      throw readable(error);
    }
  };
  const noPush = () => Promise.reject(new PushNotificationNotSupportedError());
  const requireStreaming = () => {
    if (!deps.profile.streaming)
      throw new UnsupportedOperationError('this agent has no streams; send the message and get the task');
  };
  const idleOrLate = async (taskId: string): Promise<void> => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), deps.answerWaitMs);
    await tasks.idle(taskId, AbortSignal.any([call.signal, late.signal])).finally(() => clearTimeout(timer));
  };
  return {
    getAgentCard: async () => AgentCard.fromJSON(cardOf(deps.profile)),
    getAuthenticatedExtendedAgentCard: (params) =>
      guard(params, () => {
        const { profile, extendedSkills } = deps;
        if (extendedSkills === undefined) throw noExtendedCard(call.dialect);
        return AgentCard.fromJSON(cardOf({ ...profile, skills: [...profile.skills, ...extendedSkills] }));
      }),
    sendMessage: (params) =>
      guard<Task | Message>(params, async () => {
        const { configuration } = params;
        const length = readHistoryLength(configuration?.historyLength) ?? 0;
        const sent = send(deps, call, params);
        if ('messageId' in sent) return sent;
        if (configuration?.returnImmediately) return recent(sent, length);
        await idleOrLate(sent.id);
        return recent(store.get(sent.id), length);
      }),
    sendMessageStream: (params) =>
      guarded(params, async function* () {
        requireStreaming();
        const sent = send(deps, call, params);
        if ('messageId' in sent) yield { payload: { $case: 'message', value: sent } };
        else yield* follow(deps, call, sent.id, { untilWaiting: true });
      }),
    resubscribe: (params) =>
      guarded(params, async function* () {
        requireStreaming();
        const task = store.get(params.id);
        if (hasEnded(task)) throw new UnsupportedOperationError('the task has ended; get it instead');
        yield* follow(deps, call, params.id, { untilWaiting: false });
      }),
    getTask: (params) =>
      guard(params, () => {
        const length = readHistoryLength(params.historyLength);
        return recent(store.get(params.id), length);
      }),
    listTasks: (params) =>
      guard(params, () => {
        const length = readHistoryLength(params.historyLength) ?? 0;
        const page = store.list(params);
        const shown = page.tasks.map((task) => recent(task, length));
        return { ...page, tasks: params.includeArtifacts ? shown : shown.map((task) => ({ ...task, artifacts: [] })) };
      }),
    cancelTask: (params) =>
      guard(params, () => {
        requireUncanceled(call.dialect, store.get(params.id));
        return recent(tasks.cancel(params.id), 0);
      }),
    createTaskPushNotificationConfig: noPush,
    getTaskPushNotificationConfig: noPush,
    listTaskPushNotificationConfigs: noPush,
    deleteTaskPushNotificationConfig: noPush,
  };
}

type Addressed = { readonly tenant?: string };

/** Takes a message: as a new task, as the next message of one, or with an answer at once. */
function send(
  { tasks, store, reply }: HandlerDependencies,
  call: HandlerCall,
  request: SendMessageRequest,
): Task | Message {
  const message = requireMessage(request.message, call.dialect);
  const { taskId, contextId, parts } = message;
  requireContent(parts);
  const delivery = { message, header: call.header, dialect: call.dialect };
  if (taskId === '') return reply(message) ?? tasks.begin(delivery);
  const task = store.get(taskId);
  if (contextId !== '' && contextId !== task.contextId) {
    throw new RequestMalformedError('message.contextId is not the context of this task; leave it out, or send its own');
  }
  if (hasEnded(task) && call.dialect !== 'legacy') {
    throw new UnsupportedOperationError('the task has ended and takes no more messages; send one without a task id');
  }
  return tasks.goOn(taskId, delivery);
}

function requireContent(parts: readonly Part[]): void {
  if (parts.length === 0) throw new RequestMalformedError('message.parts must hold at least one part');
  if (parts.some(({ content }) => content === undefined)) {
    throw new RequestMalformedError('a part must hold text, data or a file');
  }
}

type Following = { readonly untilWaiting: boolean };

/** The task as it is, then each change of it until it has ended; or waits, for a sender who is then to answer. */
async function* follow(
  { tasks, store }: HandlerDependencies,
  { cursor, signal }: HandlerCall,
  taskId: string,
  { untilWaiting }: Following,
): AsyncGenerator<StreamResponse, void> {
  const updates = tasks.feed.follow(taskId, signal);
  try {
    const task = store.get(taskId);
    cursor.revision = revisionOf(task);
    yield { payload: { $case: 'task', value: task } };
    if (hasEnded(task)) return;
    for await (const { revision, event } of updates) {
      // What the task showed already when it was looked at.
      if (revision <= revisionOf(task)) continue;
      cursor.revision = revision;
      yield event;
      const { payload } = event;
      if (payload?.$case !== 'statusUpdate') continue;
      const { state = TaskState.TASK_STATE_UNSPECIFIED } = payload.value.status ?? {};
      if (terminal.has(state) || (untilWaiting && isWaiting(state))) return;
    }
  } finally {
    await updates.return(undefined);
  }
}

/** A task with the last messages only; with all if no number is given. */
const recent = (task: Task, length: number | undefined): Task => ({
  ...task,
  history: length === undefined ? task.history : length === 0 ? [] : task.history.slice(-length),
});
