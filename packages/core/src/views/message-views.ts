import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { create, views } from '@stopgo/proto';
import type { RecordedFact } from '../events/facts.ts';
import { type MessageRow, messageRows, returnedRow } from '../run/messages.ts';
import { outputText } from '../state/output.ts';
import type { ConversationState, Output, RunState } from '../state/state.ts';
import { nodeOf } from '../state/work.ts';
import { uuidFrom } from '../text/digest.ts';

/** The messages that earlier events left. */
export type MessagesAt = {
  /** Those made from the event of this revision, in order. */
  messagesAt(revision: number): readonly views.Message[];
};

/** The messages that an event adds to a conversation. `rows`: those that were there before it. */
export function messagesOf(event: RecordedFact, before: ConversationState, rows: MessagesAt): views.Message[] {
  return rowsOf(event, rows).map((row, index) =>
    create(views.MessageSchema, {
      id: index === 0 ? event.eventId : uuidFrom('message', event.eventId, String(index)),
      role: row.role,
      content: row.content,
      node: row.node ?? (row.role === 'tool' ? nodeOfResult(event, before.run) : ''),
      ...(row.toolCall === undefined
        ? {}
        : {
            toolCall: {
              ...row.toolCall,
              blobs: [...(row.toolCall.blobs ?? [])],
              result: row.toolCall.result ?? '',
              hasResult: row.toolCall.result !== undefined,
            },
          }),
      createdAt: timestampFromMs(event.time),
      revision: event.revision,
      sequence: before.messageCount + index + 1,
    }),
  );
}

/** Name of the node whose call had a result; empty for a run that others have followed. */
function nodeOfResult({ fact }: RecordedFact, run: RunState | null): string {
  if (run === null || !('callId' in fact.value) || fact.value.runId !== run.id) return '';
  return nodeOf(run, run.calls[fact.value.callId]?.stepId ?? '');
}

/** What an agent came to that was called may be what it said before: that is shown with its result. */
function rowsOf(event: RecordedFact, rows: MessagesAt): readonly MessageRow[] {
  const { fact } = event;
  return fact.case === 'agentReturned' ? [returnedRow(fact.value, (at) => textAt(at, rows))] : messageRows(event);
}

/** The text that an output stands for. */
export function textOf(output: Output, rows: MessagesAt): string {
  return outputText(output, (revision) => textAt(revision, rows));
}

function textAt(revision: number, rows: MessagesAt): string {
  const made = rows.messagesAt(revision);
  const said = made.find((one) => one.role === 'assistant' && one.toolCall === undefined);
  return said?.content ?? made.find((one) => one.toolCall?.hasResult)?.toolCall?.result ?? '';
}
