import type { RecordedFact } from '@stopgo/core';
import { facts as wire } from '@stopgo/proto';

/** The tool by which agents ask people. */
export const askingTool = 'request_user_input';

/** What is wrong with the questions of agents: each is answered once at most, and what was answered is what its call came to. */
export function wrongWithQuestions(where: string, facts: readonly RecordedFact[]): string[] {
  return facts.flatMap(({ fact }) => {
    if (fact.case !== 'inputRequested' || fact.value.agentQuestion === undefined) return [];
    const { inputId, runId, callId } = fact.value;
    const ends = facts.flatMap(({ fact: one }) =>
      (one.case === 'inputProvided' || one.case === 'inputWithdrawn') && one.value.inputId === inputId ? [one] : [],
    );
    const results = facts.flatMap(({ fact: one }) =>
      one.case === 'toolCallFinished' && one.value.runId === runId && one.value.callId === callId ? [one.value] : [],
    );
    const wrong: string[] = [];
    if (ends.length > 1) wrong.push(`${where}: the question ${inputId} is settled ${ends.length} times`);
    if (results.length > 0 && ends.length === 0) wrong.push(`${where}: ${callId} has a result, and nobody answered`);
    for (const end of ends) {
      if (end.case !== 'inputProvided' || end.value.action !== wire.InputAction.ACCEPT) continue;
      const { answer } = JSON.parse(end.value.contentJson) as { readonly answer?: string };
      if (answer !== undefined && (results.length !== 1 || results[0]?.content !== answer))
        wrong.push(`${where}: ${inputId} was answered "${answer}", and its agent got "${results[0]?.content}"`);
    }
    return wrong;
  });
}
