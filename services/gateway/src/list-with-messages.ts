import type { MessageInitShape } from '@bufbuild/protobuf';
import type { store as storeApi, views } from '@stopgo/proto';
import type { OutgoingContext } from '@stopgo/rpc';
import { listedMessageBytesMax } from './bounds.ts';
import { JsonPieces, jsonPieces, type LongAnswer } from './json-pieces.ts';
import { messagesOf } from './messages.ts';
import type { GatewayClients } from './options.ts';
import { renderConversation, renderSummary } from './render/conversation.ts';
import { soundView } from './render/sound-view.ts';

type ListRequest = MessageInitShape<typeof storeApi.ListConversationsRequestSchema> & {
  readonly limit: number;
  readonly cursor: string;
};

/**
 * A page of conversations with their messages, read while it is written. It ends early, with the cursor to go on from,
 * after the conversation whose messages fill `listedMessageBytesMax`. Summary and position are those at its start:
 * who follows the log from there misses nothing.
 */
export function listWithMessages(
  store: GatewayClients['store'],
  request: ListRequest,
  context: OutgoingContext,
): LongAnswer {
  let start: storeApi.ListConversationsResponse | undefined;
  let cursor = request.cursor;
  let bytes = 0;

  // The store gives a cursor for the end of what it lists: to be able to end after any conversation, each is listed alone.
  async function* listed(): AsyncGenerator<readonly views.ConversationView[], void> {
    for (let count = 0; count < request.limit && bytes < listedMessageBytesMax; count += 1) {
      const answer = await store.listConversations({ ...request, cursor, limit: 1 }, { context });
      start ??= answer;
      cursor = answer.nextCursor;
      yield answer.conversations;
      // A search that found nothing in the time it has is gone on with by the client, as without messages.
      if (cursor === '' || answer.conversations.length === 0) return;
    }
  }

  async function* counted(pieces: AsyncIterable<string>): AsyncGenerator<string, void> {
    for await (const piece of pieces) {
      bytes += Buffer.byteLength(piece);
      yield piece;
    }
  }

  const conversations = JsonPieces.list(listed(), (item) => {
    const view = soundView(item);
    const { pieces } = messagesOf(store, view.head, context);
    return jsonPieces(renderConversation(view, new JsonPieces(counted(pieces))));
  });
  return {
    conversations,
    summary: () => renderSummary(start?.summary),
    next_cursor: () => (cursor === '' ? undefined : cursor),
    position: () => Number(start?.position ?? 0n),
  };
}
