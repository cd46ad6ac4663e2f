import {
  answersAmong,
  ContentTypeNotSupportedError,
  contextIdOf,
  type FirstMessage,
  type FollowUp,
  type Part,
  RequestMalformedError,
  resultOf,
  type SaidMessage,
  stateOf,
  TaskState,
  terminal,
  UnsupportedOperationError,
} from '@stopgo/a2a-agent';
import { orchestrator } from '@stopgo/proto';
import { callMarginMs } from '../bounds.ts';
import { contextOfFirst, joinSession } from '../frame.ts';
import { conversationIdFor } from '../idempotency.ts';
import { type SoundView, soundView } from '../render/sound-view.ts';
import { permit, type RouteDependencies } from '../routes/route.ts';
import { type A2ACall, userOf } from './call.ts';
import { decide, isPending } from './decide.ts';
import { isFirstInput } from './first-asked.ts';
import { firstMessageIdentity, followUpIdentity, type Identity } from './identity.ts';
import { provideInputs } from './provide.ts';
import { permittedPush } from './push.ts';
import { viewOf } from './task-view.ts';

/** What a message came to. `says`: what its status says in place of what it would say by itself. */
export type Sent = { readonly view: SoundView; readonly says?: Part[] };

/**
 * Hands a message to the agent: as a new task, as the next message of one, or as the decision that one waits for. A run
 * goes on whatever becomes of the peer.
 *
 * @param waitMs - how long the answer may wait for the run, in milliseconds.
 * @throws A2AError or DomainError if the message is not taken.
 */
export async function send(deps: RouteDependencies, call: A2ACall, said: SaidMessage, waitMs: number): Promise<Sent> {
  return said.kind === 'first' ? start(deps, call, said, waitMs) : followUp(deps, call, said, waitMs);
}

async function start(deps: RouteDependencies, call: A2ACall, said: FirstMessage, milliseconds: number): Promise<Sent> {
  const { text, contextId, push } = said;
  const { frame } = call;
  const identity = firstMessageIdentity(call, said);
  const conversationId = identity === undefined ? deps.newId() : conversationIdFor(frame.principal, identity.key);
  await permit(deps, frame, 'conversation.create', { kind: 'conversation' });
  if (push !== undefined) await permit(deps, frame, 'push.set', { kind: 'conversation' });
  frame.conversationId = conversationId;
  const { turn } = await deps.clients.orchestrator.createConversation(
    {
      conversationId,
      message: text,
      contextId,
      caller: { actor: userOf(call) },
      wait: { milliseconds },
      ...(identity === undefined ? {} : { idempotency: identity }),
      ...(push === undefined ? {} : { push }),
    },
    { context: contextOfFirst(frame), timeoutMs: milliseconds + callMarginMs },
  );
  const view = soundView(turn?.view);
  joinSession(frame, view.head);
  return { view };
}

async function followUp(deps: RouteDependencies, call: A2ACall, message: FollowUp, waitMs: number): Promise<Sent> {
  const { text, task, contextId } = message;
  const { id: taskId } = task;
  call.frame.conversationId = taskId;
  // Of a task that is not there a sender is told in lower case.
  const view = await viewOf(deps, call, { id: taskId, asWritten: taskId });
  await permit(deps, call.frame, 'message.send', { kind: 'conversation', id: taskId });
  if (contextId !== '' && contextId !== contextIdOf(view.head)) {
    throw new RequestMalformedError('message.contextId is not the context of this task; leave it out, or send its own');
  }
  const setPush = await permittedPush(deps, call, taskId, message.push);
  const identity = followUpIdentity(call, message);
  const { pendingInputs } = view.head;
  const heard = answersAmong(resultOf(message.inputs), pendingInputs, !isPending(view));
  const isNamed = heard.some((one) => one.isNamed);
  const said = isNamed ? [] : resultOf(message.decisions);
  const names = said.some(({ approvalId }) => approvalId !== undefined);
  const isMeant = isNamed || (heard.length > 0 && !names && (await isFirstInput(deps, call, view)));
  const answers = isMeant ? heard : [];
  // A message that may bring the token which the run waits for too is not kept from it.
  const asksOnly = pendingInputs.length > 0 && !isPending(view) && view.head.authPrompt === '';
  if (answers.length > 0 || (asksOnly && !names)) {
    await setPush();
    return provideInputs(deps, call, { view, said: answers, identity, waitMs });
  }
  if (resultOf(message.inputs).file !== undefined) {
    const isKnown = identity !== undefined && (await wasTaken(deps, call, taskId, identity));
    if (isKnown) return { view };
    throw new ContentTypeNotSupportedError(
      'the task waits for no file that this message could be the answer to; name the question in data beside it, or send the content as text',
    );
  }
  if (isPending(view) || names) return decide(deps, call, { view, said, identity, waitMs, setPush });
  if (terminal.has(stateOf(view.head)) && call.dialect !== 'legacy') {
    if (identity !== undefined && (await wasTaken(deps, call, taskId, identity))) {
      await setPush();
      return { view };
    }
    throw new UnsupportedOperationError('the task has ended and takes no more messages; send one without a task id');
  }
  if (text === '') throw new RequestMalformedError('the message says nothing');
  // Whoever is working takes no message, as far as can be seen.
  const isBusy = stateOf(view.head) === TaskState.TASK_STATE_WORKING;
  if (!isBusy) await setPush();
  const sent = await continued(deps, call, taskId, text, identity, waitMs);
  if (isBusy) await setPush();
  return sent;
}

async function continued(
  { clients }: RouteDependencies,
  call: A2ACall,
  conversationId: string,
  message: string,
  identity: Identity | undefined,
  milliseconds: number,
): Promise<Sent> {
  const { turn } = await clients.orchestrator.sendMessage(
    {
      conversationId,
      message,
      caller: { actor: userOf(call) },
      wait: { milliseconds },
      ...(identity === undefined ? {} : { idempotency: identity }),
    },
    { context: call.frame.context, timeoutMs: milliseconds + callMarginMs },
  );
  if (turn?.outcome === orchestrator.TurnOutcome.REFUSED_BUSY) {
    throw new UnsupportedOperationError('the task is being worked on; send the message when it waits or has ended');
  }
  return { view: soundView(turn?.view) };
}

/** True if this very message was taken before. */
async function wasTaken({ clients }: RouteDependencies, call: A2ACall, conversationId: string, { key }: Identity) {
  const { knownKeys } = await clients.store.load(
    { by: { case: 'conversationId', value: conversationId }, idempotencyKeys: [`client:${key}`] },
    { context: call.frame.context },
  );
  return knownKeys.length > 0;
}
