import type { views } from '@stopgo/proto';
import type { OutgoingContext } from '@stopgo/rpc';
import { MESSAGE_READS_AT_ONCE, MESSAGES_PER_CALL } from './bounds.ts';
import type { GatewayClients } from './options.ts';
import { type SoundView, soundView } from './render/conversation.ts';

type Store = GatewayClients['store'];

/** A conversation as the store shows it, whole. The messages are those that the view counts, no later ones. */
export async function readConversation(
  store: Store,
  conversationId: string,
  context: OutgoingContext,
): Promise<{ readonly view: SoundView; readonly messages: readonly views.Message[] }> {
  const first = await store.getConversation({ conversationId, messageLimit: MESSAGES_PER_CALL }, { context });
  const view = soundView(first.view);
  const rest = first.more ? await messagesAfter(store, view.head, last(first.messages), context) : [];
  return { view, messages: upTo(view.head, [...first.messages, ...rest]) };
}

/** All messages that a head counts; no call if there are none. */
export async function readMessages(
  store: Store,
  head: views.ConversationHead,
  context: OutgoingContext,
): Promise<readonly views.Message[]> {
  return head.messageCount === 0 ? [] : upTo(head, await messagesAfter(store, head, 0, context));
}

/** As {@link readMessages} for many conversations, a few at a time, in the order of the heads. */
export async function readMessagesOfMany(
  store: Store,
  heads: readonly views.ConversationHead[],
  context: OutgoingContext,
): Promise<readonly (readonly views.Message[])[]> {
  const results: (readonly views.Message[])[] = new Array(heads.length).fill([]);
  const queue = heads.entries();
  const work = async () => {
    for (const [index, head] of queue) results[index] = await readMessages(store, head, context);
  };
  await Promise.all(Array.from({ length: MESSAGE_READS_AT_ONCE }, work));
  return results;
}

async function messagesAfter(
  store: Store,
  head: views.ConversationHead,
  after: number,
  context: OutgoingContext,
): Promise<views.Message[]> {
  const messages: views.Message[] = [];
  let afterSequence = after;
  while (afterSequence < head.messageCount) {
    const page = await store.getConversation(
      { conversationId: head.id, afterSequence, messageLimit: MESSAGES_PER_CALL, minRevision: head.revision },
      { context },
    );
    for (const message of page.messages) messages.push(message);
    if (!page.more || page.messages.length === 0) break;
    afterSequence = last(page.messages);
  }
  return messages;
}

const upTo = (head: views.ConversationHead, messages: readonly views.Message[]): readonly views.Message[] =>
  messages.filter(({ sequence }) => sequence <= head.messageCount);

const last = (messages: readonly views.Message[]): number => messages.at(-1)?.sequence ?? 0;
