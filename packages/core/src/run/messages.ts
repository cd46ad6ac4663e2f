import { facts } from '@stopgo/proto';
import { rootStep } from '../agent/step-id.ts';
import { agentResult } from '../calls/agent-result.ts';
import { controlResult, controlTools } from '../calls/control/tools.ts';
import { decidedWord } from '../events/decisions.ts';
import type { FactOf, OtherStreamFact, RecordedFact } from '../events/facts.ts';
import { newLimitsFromWire } from '../state/given-limits.ts';
import {
  agentFailureText,
  argumentsChanged,
  canceledText,
  decisionTexts,
  modelFailureText,
  pausedText,
  resumedText,
  resumedWithLimits,
} from '../text/texts.ts';

/** A row of the message view, before it has an id and a sequence. */
export type MessageRow = {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  /** Name of the node that it comes from; absent for what is not a node's, or the agent's only one. */
  readonly node?: string;
  readonly toolCall?: {
    readonly callId: string;
    readonly name: string;
    /** JSON text; empty for a result. */
    readonly argumentsJson: string;
    /** Present for a result. */
    readonly result?: string;
    readonly isError: boolean;
    readonly autoApproved: boolean;
    /** Of a result: what it holds beside text, and its structured part; absent: nothing. */
    readonly blobs?: readonly facts.BlobRef[];
    readonly structuredJson?: string;
  };
};

/** Facts that a conversation shows no message of. */
type NotShown =
  | 'approvalVoted'
  | 'approvalAssigned'
  | 'approvalReminded'
  | 'approvalEscalated'
  | OtherStreamFact
  | 'runStarted'
  | 'runClaimed'
  | 'runReleased'
  | 'stepStarted'
  | 'approvalRequested'
  | 'inputRequested'
  | 'inputProvided'
  | 'toolCallStarted'
  | 'toolCallInDoubt'
  | 'toolCallRefused'
  | 'delegationStarted'
  | 'delegationUpdated'
  | 'stateSet'
  | 'runDataWritten'
  | 'runDataDeleted'
  | 'stepFinished'
  | 'delegationAsked'
  | 'delegationAnswered'
  | 'inputWithdrawn'
  | 'modelAnsweredNothing'
  | 'agentCalled'
  | 'standingApprovalGranted'
  | 'standingApprovalRevoked';

/** The messages that an event adds to its conversation, in order. A function of the event alone. */
export function messageRows({ fact, time }: Pick<RecordedFact, 'fact' | 'time'>): readonly MessageRow[] {
  switch (fact.case) {
    case 'conversationCreated':
      return fact.value.systemPrompt === '' ? [] : [{ role: 'system', content: fact.value.systemPrompt }];
    case 'userMessageReceived':
      return [{ role: 'user', content: fact.value.text }];
    case 'modelResponded':
      return named(answerRows(fact.value, time), fact.value.node);
    case 'modelFailed':
      // Of the agent's only node the run says it.
      return fact.value.node === '' ? [] : named(textRows(modelFailureText(fact.value.message)), fact.value.node);
    case 'approvalResolved':
      return resolvedRows(fact.value);
    case 'callEdited':
      return editedRows(fact.value);
    case 'delegationRequested':
      return named(
        fact.value.call === undefined ? [] : callRows(fact.value.call, fact.value.node, time),
        fact.value.node,
      );
    case 'toolCallFinished':
      return [finishedRow(fact.value)];
    case 'agentReturned':
      // What was said before is shown there, too: see the projection.
      return [returnedRow(fact.value, () => '')];
    case 'stepReminded':
      return [{ role: 'system', content: fact.value.text, node: fact.value.node }];
    case 'runPaused':
      return [{ role: 'system', content: pausedBy(fact.value) }];
    case 'runResumed':
      return [{ role: 'system', content: resumedBy(fact.value) }];
    case 'stepCanceled':
      // Of an agent that was called its caller is told; it is shown with the result of the call.
      return fact.value.stepId.endsWith(`/${rootStep}`) ? [] : [{ role: 'system', content: fact.value.text }];
    case 'delegationFinished':
      // What a node of the tree says is said by the agent, whoever answered; a model has the result of its delegation as a tool's.
      return [
        resultOf(fact.value),
        ...(fact.value.node === '' ? [] : named(textRows(saidOf(fact.value)), fact.value.node)),
      ];
    case 'runCompleted':
      return (fact.value.output?.parts ?? []).flatMap((part) => textRows(part.text));
    case 'runFailed':
      return textRows(fact.value.text);
    case 'runCanceled':
      return textRows(canceledText(fact.value.reason));
    default:
      fact.case satisfies NotShown;
      return [];
  }
}

function named(rows: readonly MessageRow[], node: string): readonly MessageRow[] {
  return node === '' ? rows : rows.map((row) => ({ ...row, node }));
}

function textRows(text: string): readonly MessageRow[] {
  return text === '' ? [] : [{ role: 'assistant', content: text }];
}

/** An agent that is out of reach has said nothing: what is told of it are our words. */
function saidOf({ content, isError }: FactOf<'delegationFinished'>): string {
  return isError ? agentFailureText(content) : content;
}

function resultOf({ callId, tool, content, isError }: FactOf<'delegationFinished'>): MessageRow {
  return resultRow(callId, tool, content, isError);
}

function resultRow(callId: string, name: string, result: string, isError: boolean): MessageRow {
  return {
    role: 'tool',
    content: '',
    toolCall: { callId, name, argumentsJson: '', result, isError, autoApproved: false },
  };
}

/** The result of an agent that was called; `textAt`: the text that the event of a revision holds. */
export function returnedRow(returned: FactOf<'agentReturned'>, textAt: (revision: number) => string): MessageRow {
  const { callId, tool, isError } = returned;
  return resultRow(callId, tool, agentResult(returned, textAt), isError);
}

/** The result of a tool, with what it holds beside text. */
function finishedRow(finished: FactOf<'toolCallFinished'>): MessageRow {
  const { callId, tool, content, isError, blobs, structuredJson } = finished;
  const row = resultRow(callId, tool, content, isError);
  if (row.toolCall === undefined || (blobs.length === 0 && structuredJson === '')) return row;
  return { ...row, toolCall: { ...row.toolCall, blobs, structuredJson } };
}

function answerRows(answer: FactOf<'modelResponded'>, at: number): readonly MessageRow[] {
  return [...textRows(answer.text), ...answer.calls.flatMap((call) => callRows(call, answer.node, at))];
}

/** A call, and its result if it has one at once. */
function callRows(call: facts.Call, node: string, at: number): readonly MessageRow[] {
  const autoApproved = call.disposition === facts.Disposition.AUTO_APPROVED;
  const { callId, tool: name, argumentsJson } = call;
  const toolCall = { callId, name, argumentsJson, isError: false, autoApproved };
  const rows: MessageRow[] = [{ role: 'assistant', content: '', toolCall }];
  if (call.disposition === facts.Disposition.REFUSED) rows.push(resultRow(callId, name, call.error, true));
  if (call.disposition === facts.Disposition.CONTROL) rows.push(...controlRows(call, node, at));
  return rows;
}

/** A tool of the platform's own shows its result, or has the node of a tree say something in its place. */
function controlRows(call: facts.Call, node: string, at: number): readonly MessageRow[] {
  const { shownAs } = controlTools.get(call.tool) ?? {};
  if (shownAs !== undefined) return node === '' ? [] : textRows(shownAs);
  return [resultRow(call.callId, call.tool, controlResult(call, at), false)];
}

/** The call as a person changed it, so that both versions are seen. */
function editedRows({ callId, call, said }: FactOf<'callEdited'>): readonly MessageRow[] {
  if (call === undefined) return [];
  const { tool: name, argumentsJson } = call;
  const words = said === '' ? argumentsChanged : `${argumentsChanged}: ${said}`;
  const toolCall = { callId, name, argumentsJson, isError: false, autoApproved: false };
  return [
    { role: 'user', content: words },
    { role: 'assistant', content: '', toolCall },
  ];
}

function resolvedRows(resolved: FactOf<'approvalResolved'>): readonly MessageRow[] {
  // A decision by policy is shown with its call; an approval that the platform withdraws by what made it needless.
  const kind = decidedWord(resolved.decision);
  const { byPolicy, said, voter } = resolved;
  if (byPolicy || (kind === 'withdrawn' && voter === undefined)) return [];
  const words = said === '' ? decisionTexts[kind] : `${decisionTexts[kind]}: ${said}`;
  const rows: MessageRow[] = [{ role: 'user', content: words }];
  if (kind === 'happened' && !resolved.proxy)
    rows.push(resultRow(resolved.callId, resolved.tool, resolved.result, false));
  return rows;
}

/** At a limit the reason says all. */
const pausedBy = ({ by, reason, limitStepId }: FactOf<'runPaused'>): string =>
  limitStepId === '' ? pausedText(by, reason) : reason;

/** With new limits, what they are. */
const resumedBy = ({ by, limits, limitAgent }: FactOf<'runResumed'>): string =>
  limits.length === 0 ? resumedText(by) : resumedWithLimits(by, limitAgent, newLimitsFromWire(limits));
