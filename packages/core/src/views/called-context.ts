import type { AgentDefinition } from '../agent/definition.ts';
import { callAbove, stepOfCall } from '../agent/step-id.ts';
import { agentCallOf } from '../calls/agent.ts';
import type { CallState } from '../state/state.ts';
import { agentContextBytesMax } from '../text/bounds.ts';
import { byteLength } from '../text/cut.ts';
import { quotedLines, quotedName } from '../text/visible.ts';
import type { Transcript, TranscriptEntry } from './transcript.ts';

/** What the agent that works on a call is told before anything that it says itself. */
export type CalledPrompt = {
  /** Its task. */
  readonly input: string;
  /** What was said before, as far as it is to know that; empty: nothing. */
  readonly context: string;
};

/** A run, as far as the agents that work in it are known. */
type AgentsOfRun = {
  readonly id: string;
  readonly calls: Readonly<Record<string, Pick<CallState, 'called'>>>;
};

/**
 * What the agent that works on a call is told; `argumentsJson`: of that call, `first`: the run's own agent.
 *
 * The scope FULL has what was said to and by the agents above it up to its being called, as quotations under their names: the latest,
 * as much as `agentContextBytesMax` holds. SPECIFIC has the user's message alone, after what
 * its file names of its own memory, of session state and of what the agents of the run share, NONE nothing.
 */
export function calledPrompt(
  transcript: Transcript,
  run: AgentsOfRun,
  callId: string,
  argumentsJson: string,
  first: AgentDefinition,
): CalledPrompt {
  const input = agentCallOf(argumentsJson)?.input ?? '';
  const { contextScope = 'NONE', contextRevision = 0 } = run.calls[callId]?.called ?? {};
  if (contextScope === 'NONE') return { input, context: '' };
  const above = contextScope === 'FULL' ? stepsAbove(run, callId, first.name) : new Map<string, string>();
  const memories = contextScope === 'SPECIFIC' ? transcript.memoriesTo(run.id, callId) : '';
  const remembered = memories === '' ? [] : [`What you remember:\n\n${memories}`];
  const state = contextScope === 'SPECIFIC' ? transcript.stateTo(run.id, callId) : '';
  const shared = state === '' ? [] : [`What is known in this run:\n\n${state}`];
  const said = quoted(transcript.entries, run.id, contextRevision, above);
  const parts = [...remembered, ...shared, ...(said === '' ? [] : [said])];
  return { input, context: parts.length === 0 ? '' : `${parts.join('\n\n')}\n\nYour task:` };
}

/** The steps that called the agent, one below another, each with the name of the agent that it is of. */
function stepsAbove({ calls }: AgentsOfRun, callId: string, first: string): ReadonlyMap<string, string> {
  const steps = new Map<string, string>();
  for (let call: string | undefined = callId; call !== undefined; call = callAbove(call)) {
    const caller = callAbove(call);
    steps.set(stepOfCall(call), caller === undefined ? first : (calls[caller]?.called?.agent ?? ''));
  }
  return steps;
}

function quoted(
  entries: readonly TranscriptEntry[],
  runId: string,
  revision: number,
  above: ReadonlyMap<string, string>,
): string {
  const said: string[] = [];
  let bytes = 0;
  for (const entry of entries.toReversed()) {
    if (entry.runId !== runId) break;
    const by = speakerOf(entry, above);
    if (by === undefined || entry.revision > revision || entry.message.text.trim() === '') continue;
    const text = `${by}:\n${quotedLines(entry.message.text)}`;
    bytes += byteLength(text);
    if (bytes > agentContextBytesMax) break;
    said.unshift(text);
  }
  return said.length === 0 ? '' : `What was said before you were called:\n\n${said.join('\n\n')}`;
}

/** Undefined for what is not a part of the context. What an agent is reminded of says nothing of its task. */
function speakerOf({ stepId, message }: TranscriptEntry, above: ReadonlyMap<string, string>): string | undefined {
  if (stepId === '') return message.role === 'user' ? 'The user' : undefined;
  const agent = above.get(stepId);
  return agent === undefined || message.role === 'user' ? undefined : `The agent ${quotedName(agent)}`;
}
