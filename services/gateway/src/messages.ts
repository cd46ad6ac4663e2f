import type { store as storeApi, views } from '@stopgo/proto';
import type { OutgoingContext } from '@stopgo/rpc';
import { messagesPerCall } from './bounds.ts';
import { JsonPieces } from './json-pieces.ts';
import { jsonText } from './json-text.ts';
import type { GatewayClients } from './options.ts';
import { renderMessage } from './render/message.ts';
import { type SoundView, soundView } from './render/sound-view.ts';

type Store = GatewayClients['store'];
type MessagePage = Pick<storeApi.GetConversationResponse, 'messages' | 'more'>;

/**
 * A conversation as the store shows it. Its messages are those that the view counts, no later ones; they are read while
 * they are written.
 */
export async function openConversation(
  store: Store,
  conversationId: string,
  context: OutgoingContext,
): Promise<{ readonly view: SoundView; readonly messages: JsonPieces }> {
  const first = await store.getConversation({ conversationId, messageLimit: messagesPerCall }, { context });
  const view = soundView(first.view);
  return { view, messages: listOf(messages(store, view.head, context, first)) };
}

/** All messages that a head counts, read while they are written; no call if there are none. */
export const messagesOf = (store: Store, head: views.ConversationHead, context: OutgoingContext): JsonPieces =>
  listOf(messages(store, head, context));

const listOf = (pages: AsyncIterable<readonly views.Message[]>): JsonPieces =>
  JsonPieces.list(pages, (message) => jsonText(renderMessage(message)));

/** Holds one page at a time; asks for the next one when all of this one were taken. */
async function* messages(
  store: Store,
  head: views.ConversationHead,
  context: OutgoingContext,
  first?: MessagePage,
): AsyncGenerator<readonly views.Message[], void> {
  let page = first;
  for (let after = 0; after < head.messageCount; ) {
    page ??= await store.getConversation(
      { conversationId: head.id, afterSequence: after, messageLimit: messagesPerCall, minRevision: head.revision },
      { context },
    );
    const { more } = page;
    const last = page.messages.at(-1);
    yield page.messages.filter(({ sequence }) => sequence <= head.messageCount);
    if (!more || last === undefined) return;
    after = last.sequence;
    page = undefined;
  }
}
