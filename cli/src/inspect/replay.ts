import {
  type ConversationState,
  DomainError,
  evolve,
  initialState,
  messageRows,
  pendingApprovals,
  runStanding,
  saidByNode,
  visibleText,
} from '@stopgo/core';
import type { OpenedStore } from './open-store.ts';
import { lengthOf, readEvents, streamOf } from './read-events.ts';

/** `stopgo replay`: a conversation as it stood at a revision (the latest if none is given), folded from its events. */
export async function printReplay(
  opened: OpenedStore,
  id: string,
  at: number | undefined,
  print: (line: string) => void,
): Promise<void> {
  const stream = streamOf(id);
  if (at !== undefined) await checkReaches(opened, stream, at);
  let state: ConversationState = initialState;
  for await (const { event } of readEvents(opened.client, stream)) {
    if (at !== undefined && event.revision > at) break;
    for (const row of messageRows(event)) print(visibleText(`${String(event.revision).padStart(5)}  ${lineOf(row)}`));
    state = evolve(state, event);
  }
  print('');
  print(`conversation ${state.id} at revision ${state.revision}, ${new Date(state.updatedAt).toISOString()}`);
  const { run } = state;
  if (run === null) return print('no run yet');
  print(`run ${run.id}: ${runStanding(state)}${run.owner === null ? '' : `, driven by ${run.owner.instance}`}`);
  for (const step of Object.values(run.steps)) print(`  step ${step.id} (${step.type}): ${step.turn} model answers`);
  for (const call of Object.values(run.calls))
    print(visibleText(`  call ${call.id} ${call.tool}: ${call.phase}, attempt ${call.attempt}`));
  for (const approval of pendingApprovals(run)) print(`  pending approval ${approval}`);
}

/** Before anything is printed: rejects if the stream does not reach that far. One that is not there is left to its reader. */
async function checkReaches(opened: OpenedStore, stream: string, revision: number): Promise<void> {
  const events = await lengthOf(opened.client, stream);
  if (events > 0 && events < revision)
    throw new DomainError(
      'invalid_argument',
      `the conversation has ${events} events; there is no revision ${revision}`,
    );
}

function lineOf(row: ReturnType<typeof messageRows>[number]): string {
  const { toolCall, node = '' } = row;
  if (toolCall === undefined) return `${row.role}: ${saidByNode(node, row.content)}`;
  if (toolCall.result === undefined)
    return `${row.role}: ${saidByNode(node, `calls ${toolCall.name} ${toolCall.argumentsJson}`)}`;
  return `${row.role}: ${toolCall.name} ${toolCall.isError ? 'failed' : 'gave'} ${toolCall.result}`;
}
