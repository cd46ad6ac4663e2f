import { failureBytesMax, failureExcerptCharactersMax } from '../text/bounds.ts';
import { cutText } from '../text/cut.ts';
import { modelFailureText } from '../text/texts.ts';
import type { Transcript } from './transcript.ts';

/**
 * What the user is told when the model fails: the error, and every call of the run that has run before, with its result,
 * so that nobody asks again for what is done already. At most `failureBytesMax` bytes; what is longer is cut and marked.
 */
export function failureText(message: string, transcript: Transcript, runId: string): string {
  const done: string[] = [];
  for (const entry of transcript.entries) {
    if (entry.runId !== runId || entry.message.role !== 'assistant') continue;
    for (const call of entry.message.calls) {
      const result = transcript.resultOf(runId, call.callId);
      if (result !== undefined)
        done.push(`${call.name}: ${result.isError ? 'failed: ' : ''}${excerpt(result.content)}`);
    }
  }
  const error = modelFailureText(message);
  const text = done.length === 0 ? error : `${error}\n\nBefore that, these calls were made:\n\n${done.join('\n\n')}`;
  return cutText(text, failureBytesMax).text;
}

function excerpt(text: string): string {
  if (text.length <= failureExcerptCharactersMax) return text;
  return `${[...text].slice(0, failureExcerptCharactersMax).join('')} […]`;
}
