import type { FactOf } from '../events/facts.ts';
import { completionFromWire } from '../state/completion.ts';
import { outputFromWire, outputText } from '../state/output.ts';
import { textBytesMax } from '../text/bounds.ts';
import { cutText } from '../text/cut.ts';
import { canonicalJson, type Json, parseJson } from '../text/json.ts';

/**
 * What a model is told of the agent that it called, as JSON: `success`, `result`, and `metadata` with what the agent says of its
 * result, where it comes from, and how long it took. `textAt`: the text that the event of a revision holds.
 */
export function agentResult(returned: FactOf<'agentReturned'>, textAt: (revision: number) => string): string {
  const { isError, durationMs, source } = returned;
  const { status, confidence, requiresFollowup, metadataJson } = completionFromWire(returned.completion) ?? {};
  const text = outputText(outputFromWire(returned.output), textAt);
  const metadata = {
    status: status ?? (isError ? 'FAILED' : 'SUCCESS'),
    ...(confidence === undefined ? {} : { confidence }),
    ...(requiresFollowup === undefined ? {} : { requiresFollowup }),
    ...(metadataJson === undefined ? {} : { details: parseJson(metadataJson) as Json }),
    ...(source === undefined ? {} : { agentSource: 'git', gitCommit: source.commit }),
    executionTime: durationMs,
  };
  return canonicalJson({ success: !isError, result: cutText(wellFormed(text), textBytesMax).text, metadata });
}

/** Canonical JSON has no halves of surrogate pairs. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\uFFFD');
}
