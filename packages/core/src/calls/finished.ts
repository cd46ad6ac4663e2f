import { blobRefsToWire } from '../events/blobs.ts';
import { type Fact, fact } from '../events/facts.ts';
import { outputToWire, textOutput } from '../state/output.ts';
import type { RunState } from '../state/state.ts';
import { nodeOf } from '../state/work.ts';
import { failureBytesMax, structuredBytesMax, textBytesMax } from '../text/bounds.ts';
import { byteLength, cutText } from '../text/cut.ts';
import type { CallOutcomeCommand } from './outcome.ts';

/** The attempt that a fact is of. */
export type AttemptPlace = {
  readonly runId: string;
  readonly stepId: string;
  readonly callId: string;
  readonly attempt: number;
};

/** The fact that an a2a node has failed, with what is said of it. */
export function failedDelegation(run: RunState, stepId: string, why: string): Fact {
  const output = outputToWire(textOutput(cutText(why, failureBytesMax).text));
  return fact('stepFinished', { runId: run.id, stepId, output, failed: true });
}

/** Name of the step's node if all that it does is to delegate, else empty. */
export function delegatingNode(run: RunState, stepId: string): string {
  return run.steps[stepId]?.type === 'a2a' ? nodeOf(run, stepId) : '';
}

/** The fact of a finished call; its content is cut to the bound. `node`: see {@link delegatingNode}. */
export function finished(
  place: AttemptPlace,
  outcome: Extract<CallOutcomeCommand, { type: 'callFinished' }>,
  node = '',
  late = false,
): Fact {
  const { text: content, cut: cutHere } = cutText(outcome.content, textBytesMax);
  const cut = outcome.cut ?? cutHere;
  const told = {
    ...place,
    content,
    isError: outcome.isError,
    ...(cut === undefined ? {} : { cut: { fullBytes: BigInt(cut.fullBytes), sha256: cut.sha256 } }),
    late,
    durationMs: Math.max(0, Math.round(outcome.durationMs)),
    tool: outcome.tool,
  };
  return outcome.by === undefined
    ? fact('toolCallFinished', { ...told, ...(late ? {} : beside(outcome)) })
    : fact('delegationFinished', { ...told, ...outcome.by, node });
}

/** What the result holds beside its text. An outcome that comes late is only noted: nobody keeps its blobs any more. */
function beside({ blobs = [], structuredJson = '' }: Extract<CallOutcomeCommand, { type: 'callFinished' }>) {
  return {
    blobs: blobRefsToWire(blobs),
    structuredJson: byteLength(structuredJson) <= structuredBytesMax ? structuredJson : '',
  };
}
