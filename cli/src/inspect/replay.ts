import {
  type ConversationState,
  DomainError,
  evolve,
  initialState,
  messageRows,
  pendingApprovals,
  runStanding,
  visibleText,
} from '@stopgo/core';
import { oneLine, shownName } from '../shown.ts';
import type { OpenedStore } from './open-store.ts';
import { conversationIn, lengthOf, readEvents } from './read-events.ts';

/** `stopgo replay`: a conversation as it stood at a revision (the latest if none is given), folded from its events. */
export async function printReplay(
  opened: OpenedStore,
  id: string,
  at: number | undefined,
  print: (line: string) => void,
): Promise<void> {
  const { stream } = conversationIn(id);
  if (at !== undefined) await checkReaches(opened, stream, at);
  let state: ConversationState = initialState;
  for await (const { event } of readEvents(opened.client, stream)) {
    if (at !== undefined && event.revision > at) break;
    for (const row of messageRows(event)) for (const line of linesOf(row, event.revision)) print(line);
    state = evolve(state, event);
  }
  const say = (line: string): void => print(oneLine(line));
  print('');
  say(`conversation ${state.id} at revision ${state.revision}, ${new Date(state.updatedAt).toISOString()}`);
  const { run } = state;
  if (run === null) return say('no run yet');
  say(`run ${run.id}: ${runStanding(state)}${run.owner === null ? '' : `, driven by ${run.owner.instance}`}`);
  for (const step of Object.values(run.steps)) say(`  step ${step.id} (${step.type}): ${step.turn} model answers`);
  for (const call of Object.values(run.calls))
    say(`  call ${call.id} ${shownName(call.tool)}: ${call.phase}, attempt ${call.attempt}`);
  for (const approval of pendingApprovals(run)) say(`  pending approval ${approval}`);
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

/** The message; further lines of its text are a block, so that none looks like another message. */
function linesOf(row: ReturnType<typeof messageRows>[number], revision: number): string[] {
  const [first = '', ...others] = lineOf(row).split('\n');
  return [`${String(revision).padStart(5)}  ${first}`, ...others.map((line) => `       | ${line}`)];
}

function lineOf(row: ReturnType<typeof messageRows>[number]): string {
  const { toolCall, node = '' } = row;
  const who = `${row.role}: ${node === '' ? '' : `[${shownName(node)}] `}`;
  if (toolCall === undefined) return `${who}${visibleText(row.content)}`;
  const name = shownName(toolCall.name);
  if (toolCall.result === undefined) return `${who}calls ${name} ${visibleText(toolCall.argumentsJson)}`;
  return `${row.role}: ${name} ${toolCall.isError ? 'failed' : 'gave'} ${visibleText(toolCall.result)}`;
}
