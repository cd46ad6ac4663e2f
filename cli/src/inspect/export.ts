import { toJson } from '@bufbuild/protobuf';
import { conversationOfStream } from '@stopgo/core';
import { exportedEvent } from '@stopgo/core/export';
import { views } from '@stopgo/proto';
import { ExportedBlobs } from './exported-blobs.ts';
import type { OpenedStore } from './open-store.ts';
import { readEvents, streamOf } from './read-events.ts';
import { terminalJson } from './terminal-json.ts';

/**
 * `stopgo export`: everything about a conversation as one readable JSON document: its view, its messages, and its events
 * with what the hash chain needs to be checked by anybody, and the images and documents that they name. `lacks` is told of each of those
 * that is lost or damaged, in a sentence.
 */
export async function exportConversation(
  opened: OpenedStore,
  id: string,
  lacks: (line: string) => void,
): Promise<string> {
  const stream = streamOf(id);
  const events: unknown[] = [];
  const conversationId = conversationOfStream(stream);
  const blobs = new ExportedBlobs(opened, conversationId ?? '', lacks);
  for await (const { recorded, event } of readEvents(opened.client, stream)) {
    events.push(exportedEvent(recorded));
    await blobs.add(event);
  }
  const view = conversationId === undefined ? {} : await conversationView(opened, conversationId);
  return terminalJson({ stream, ...view, events, ...(blobs.all.length === 0 ? {} : { blobs: blobs.all }) }, 2);
}

async function conversationView(opened: OpenedStore, conversationId: string): Promise<object> {
  const messages: views.Message[] = [];
  for (;;) {
    const afterSequence = messages.at(-1)?.sequence ?? 0;
    const page = await opened.client.getConversation({ conversationId, afterSequence, messageLimit: 1_000 });
    messages.push(...page.messages);
    if (page.more) continue;
    return {
      conversation: page.view === undefined ? null : toJson(views.ConversationViewSchema, page.view),
      messages: messages.map((message) => toJson(views.MessageSchema, message)),
    };
  }
}
