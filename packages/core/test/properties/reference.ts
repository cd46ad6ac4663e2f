/** What a tree comes to, by plain recursion over its nodes and the recorded answers: no state, no effects, no resume. */
import { type AgentNode, canceledByUser, type RecordedFact } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import { delegationRejected, givenUpResult, nothingSaid, turnsUsedUp } from '../../src/text/texts.ts';
import { told } from './told.ts';

type Part = { readonly text: string; readonly isResult: boolean };
type End = { readonly parts: readonly Part[]; readonly exit: boolean; readonly failed: boolean };
type State = Readonly<Record<string, string>>;

export type Story = {
  readonly status: 'completed' | 'failed';
  readonly response: string;
  readonly steps: readonly string[];
  readonly sessionState: State;
  /** The prompt of each step that has one, by step. */
  readonly prompts: Readonly<Record<string, string>>;
};

/** What the log says and what the recursion wants; undefined if somebody ended the run before its tree did. */
export function evaluate(
  root: AgentNode,
  log: readonly RecordedFact[],
): { readonly actual: Story; readonly wanted: Story } | undefined {
  const actual = told(root, log);
  if (actual === undefined || actual.response === canceledByUser) return undefined;
  const steps: string[] = [];
  const prompts: Record<string, string> = {};
  const { end, state: sessionState } = visit(root, 'root', {});
  const text = textOf(end.parts);
  const answer = text === '' ? nothingSaid : text;
  return {
    actual,
    wanted: {
      status: end.failed ? 'failed' : 'completed',
      response: end.failed && root.type !== 'llm' ? `Pipeline error: ${text}` : answer,
      steps: steps.sort(),
      sessionState,
      prompts,
    },
  };

  function visit(node: AgentNode, id: string, before: State): { readonly end: End; readonly state: State } {
    steps.push(id);
    const { end, state } = inside(node, id, before);
    const { outputKey = '' } = node;
    const isSilentExit = end.exit && end.parts.every((part) => part.isResult) && Object.hasOwn(state, outputKey);
    if (outputKey === '' || end.failed || isSilentExit) return { end, state };
    return { end, state: { ...state, [outputKey]: textOf(end.parts) } };
  }

  function inside(node: AgentNode, id: string, before: State): { readonly end: End; readonly state: State } {
    switch (node.type) {
      case 'a2a':
      case 'llm':
        prompts[id] = node.prompt.replace(/\{(\w+)\}/g, (whole, key) =>
          Object.hasOwn(before, key) ? (before[key] ?? '') : whole,
        );
        if (node.type === 'a2a') return { end: replyTo(id, log), state: before };
        return { end: answersOf(id, node.turnsMax, log, root.type !== 'llm'), state: before };
      case 'parallel': {
        const branches = node.children.map((child, index) => visit(child, `${id}/${index}`, before));
        const ends = branches.map((one) => one.end);
        // Every key has one writer: what differs from before was written by the branch.
        const written = branches.flatMap(({ state }) => Object.entries(state).filter(([key, v]) => before[key] !== v));
        const state = { ...before, ...Object.fromEntries(written) };
        const failure = ends.find((one) => one.failed);
        if (failure !== undefined && node.onError === 'fail') return { end: { ...failure, exit: false }, state };
        const parts = ends.flatMap((one) => one.parts);
        return { end: { parts, exit: ends.some((one) => one.exit), failed: false }, state };
      }
      case 'sequential':
        return inOrder(node.children, (index) => `${id}/${index}`, before);
      case 'loop': {
        const size = node.children.length;
        const all = Array.from({ length: size * node.iterationsMax }, (_, index) => node.children[index % size]);
        const stepOf = (index: number) => `${id}[${1 + Math.floor(index / size)}]/${index % size}`;
        const { end, state } = inOrder(all as AgentNode[], stepOf, before);
        return { end: { ...end, exit: false }, state };
      }
    }
  }

  function inOrder(nodes: readonly AgentNode[], stepOf: (index: number) => string, before: State) {
    let parts: readonly Part[] = [];
    let state = before;
    for (const [index, node] of nodes.entries()) {
      const { end, state: after } = visit(node, stepOf(index), state);
      state = after;
      if (end.failed) return { end: { ...end, exit: false }, state };
      const isSilentExit = end.exit && end.parts.every((part) => part.isResult);
      if (end.parts.length > 0 && !(isSilentExit && parts.length > 0)) parts = end.parts;
      if (end.exit) return { end: { parts, exit: true, failed: false }, state };
    }
    return { end: { parts, exit: false, failed: false }, state };
  }
}

const textOf = (parts: readonly Part[]): string => parts.map((part) => part.text).join('\n');
const saying = (text: string): readonly Part[] => (text === '' ? [] : [{ text, isResult: false }]);

function answersOf(stepId: string, turnsMax: number, log: readonly RecordedFact[], isPipeline: boolean): End {
  let text = '';
  let result = '';
  for (const { fact } of log) {
    if (fact.case === 'modelFailed' && fact.value.stepId === stepId)
      return { parts: saying(`LLM error: ${stepId}#${fact.value.turn}`), exit: false, failed: true };
    if (fact.case !== 'modelResponded' || fact.value.stepId !== stepId) continue;
    if (fact.value.text !== '') text = fact.value.text;
    for (const call of fact.value.calls) result = resultOf(call.callId, log) ?? result;
    const parts = text !== '' || result === '' || !isPipeline ? saying(text) : [{ text: result, isResult: true }];
    if (fact.value.calls.some((call) => call.disposition === facts.Disposition.CONTROL))
      return { parts, exit: true, failed: false };
    if (fact.value.calls.length === 0) return { parts, exit: false, failed: false };
    if (fact.value.turn === turnsMax) return { parts: saying(turnsUsedUp), exit: false, failed: false };
  }
  return { parts: saying(text), exit: false, failed: false };
}

/** What a node came to that only delegates. */
function replyTo(stepId: string, log: readonly RecordedFact[]): End {
  const callId = `${stepId}#1.0`;
  const end = (text: string, failed: boolean): End => ({ parts: saying(text), exit: false, failed });
  for (const { fact } of log) {
    if (fact.case === 'delegationRequested' && fact.value.call?.callId === callId && fact.value.call.error !== '')
      return end(fact.value.call.error, true);
    if (fact.case === 'approvalResolved' && fact.value.callId === callId) {
      if (fact.value.decision === facts.Decision.REJECTED) return end(delegationRejected, false);
      if (fact.value.decision === facts.Decision.GIVE_UP) return end(givenUpResult, true);
    }
    if (fact.case === 'delegationFinished' && fact.value.callId === callId && !fact.value.late && fact.value.isError)
      return end(fact.value.content, true);
  }
  return end(resultOf(callId, log) ?? '', false);
}

/** What a call came to, if it went well and says something. */
function resultOf(callId: string, log: readonly RecordedFact[]): string | undefined {
  for (const { fact } of log) {
    const isEnd = fact.case === 'toolCallFinished' || fact.case === 'delegationFinished';
    if (isEnd && fact.value.callId === callId && !fact.value.late)
      return fact.value.isError ? undefined : fact.value.content;
    const isThis = fact.case === 'approvalResolved' && fact.value.callId === callId;
    if (isThis && fact.value.decision === facts.Decision.HAPPENED) return fact.value.result;
  }
  return undefined;
}
