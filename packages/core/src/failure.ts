import { failureExcerptCharactersMax } from './bounds.ts';
import { modelFailureText } from './texts.ts';
import { resultKey, type Transcript } from './transcript.ts';

/**
 * What the user is told when the model fails: the error, and every call of the run that has run before, with its result,
 * so that nobody asks again for what is done already.
 */
export function failureText(message: string, transcript: Transcript, runId: string): string {
  const done: string[] = [];
  for (const entry of transcript.entries) {
    if (entry.runId !== runId || entry.message.role !== 'assistant') continue;
    for (const call of entry.message.calls) {
      const result = transcript.results.get(resultKey(runId, call.callId));
      if (result !== undefined)
        done.push(`${call.name}: ${result.isError ? 'failed: ' : ''}${excerpt(result.content)}`);
    }
  }
  const error = modelFailureText(message);
  return done.length === 0 ? error : `${error}\n\nBefore that, these calls were made:\n\n${done.join('\n\n')}`;
}

function excerpt(text: string): string {
  if (text.length <= failureExcerptCharactersMax) return text;
  return `${[...text].slice(0, failureExcerptCharactersMax).join('')} […]`;
}
