import { contextIdOf, historyOf, type Message, type TaskName, taskNotFound } from '@stopgo/a2a-agent';
import { anonymousPrincipal, DomainError, mayReach } from '@stopgo/core';
import { historyMessagesMax } from '../bounds.ts';
import { joinSession } from '../frame.ts';
import { type SoundView, soundView } from '../render/sound-view.ts';
import { permit, type RouteDependencies } from '../routes/route.ts';
import type { A2ACall } from './call.ts';

/** The conversation behind a task. @throws A2AError if there is none. */
export async function viewOf(deps: RouteDependencies, call: A2ACall, task: TaskName, minRevision = 0) {
  const { clients } = deps;
  // Who has not signed in is told that, and nothing of any task.
  await permit(deps, call.frame, 'conversation.read', { kind: 'conversation' });
  const { id: conversationId, asWritten } = task;
  call.frame.conversationId = conversationId;
  const answer = clients.store.getConversation({ conversationId, minRevision }, { context: call.frame.context });
  const { view } = await answer.catch((error: unknown) => {
    throw error instanceof DomainError && error.kind === 'not_found' ? taskNotFound(asWritten) : error;
  });
  const sound = soundView(view);
  // A task of somebody else is not there, whatever is asked of it.
  const owner = sound.head.principal || anonymousPrincipal;
  if (!mayReach(call.frame.principal, 'conversation.read', owner)) throw taskNotFound(asWritten);
  joinSession(call.frame, sound.head);
  return sound;
}

/** The last `length` messages of a task, oldest first; all that may be shown at once if no number is given. */
export async function recentHistory(
  { clients }: RouteDependencies,
  call: A2ACall,
  { head }: SoundView,
  length = historyMessagesMax,
): Promise<Message[]> {
  if (length === 0 || head.messageCount === 0) return [];
  // What tools were told and told is between the messages that are shown.
  const afterSequence = Math.max(0, head.messageCount - historyMessagesMax);
  const { messages } = await clients.store.getConversation(
    { conversationId: head.id, afterSequence, messageLimit: historyMessagesMax, minRevision: head.revision },
    { context: call.frame.context },
  );
  return historyOf(messages, head.id, contextIdOf(head)).slice(-length);
}
