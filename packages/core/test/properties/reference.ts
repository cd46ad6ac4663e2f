/** What a tree comes to, by plain recursion over its nodes and the recorded answers: no state, no effects, no resume. */
import { type AgentNode, canceledByUser, type RecordedFact, turnsUsedUp } from '@stopgo/core';
import { facts } from '@stopgo/proto';

type End = { readonly texts: readonly string[]; readonly exit: boolean; readonly failed: boolean };

type Story = {
  readonly status: 'completed' | 'failed';
  readonly response: string;
  readonly steps: readonly string[];
  readonly sessionState: Readonly<Record<string, string>>;
};

/** What the log says and what the recursion wants; undefined if somebody ended the run before its tree did. */
export function evaluate(
  root: AgentNode,
  log: readonly RecordedFact[],
): { readonly actual: Story; readonly wanted: Story } | undefined {
  const actual = told(log);
  if (actual === undefined || actual.response === canceledByUser) return undefined;
  const steps: string[] = [];
  const sessionState: Record<string, string> = {};
  const end = visit(root, 'root');
  const wanted: Story = {
    status: end.failed ? 'failed' : 'completed',
    response: end.texts.join('\n'),
    steps: steps.sort(),
    sessionState,
  };
  return { actual, wanted };

  function visit(node: AgentNode, id: string): End {
    steps.push(id);
    switch (node.type) {
      case 'llm': {
        const end = answersOf(id, node.turnsMax, log);
        if (!end.failed) sessionState[node.outputKey] = end.texts.join('\n');
        return end;
      }
      case 'parallel': {
        const ends = node.children.map((child, index) => visit(child, `${id}/${index}`));
        const failure = ends.find((one) => one.failed);
        if (failure !== undefined && node.onError === 'fail') return { ...failure, exit: false };
        return { texts: ends.flatMap((one) => one.texts), exit: ends.some((one) => one.exit), failed: false };
      }
      case 'sequential':
        return inOrder(node.children.map((child, index) => () => visit(child, `${id}/${index}`)));
      case 'loop': {
        const rounds = Array.from({ length: node.iterationsMax }, (_, round) => round + 1);
        const all = rounds.flatMap((round) =>
          node.children.map((child, index) => () => visit(child, `${id}[${round}]/${index}`)),
        );
        return { ...inOrder(all), exit: false };
      }
    }
  }
}

function inOrder(all: readonly (() => End)[]): End {
  let texts: readonly string[] = [];
  for (const one of all) {
    const end = one();
    if (end.failed) return { ...end, exit: false };
    if (end.texts.length > 0) texts = end.texts;
    if (end.exit) return { texts, exit: true, failed: false };
  }
  return { texts, exit: false, failed: false };
}

function answersOf(stepId: string, turnsMax: number, log: readonly RecordedFact[]): End {
  let text = '';
  for (const { fact } of log) {
    if (fact.case === 'modelFailed' && fact.value.stepId === stepId)
      return { texts: [`LLM error: ${stepId}#${fact.value.turn}`], exit: false, failed: true };
    if (fact.case !== 'modelResponded' || fact.value.stepId !== stepId) continue;
    if (fact.value.text !== '') text = fact.value.text;
    if (fact.value.calls.some((call) => call.disposition === facts.Disposition.CONTROL))
      return { texts: text === '' ? [] : [text], exit: true, failed: false };
    if (fact.value.calls.length > 0 && fact.value.turn === turnsMax)
      return { texts: [turnsUsedUp], exit: false, failed: false };
  }
  return { texts: text === '' ? [] : [text], exit: false, failed: false };
}

function told(log: readonly RecordedFact[]): Story | undefined {
  const answers = new Map<number, string>();
  const steps: string[] = [];
  const sessionState: Record<string, string> = {};
  for (const { fact, revision } of log) {
    switch (fact.case) {
      case 'modelResponded':
        answers.set(revision, fact.value.text);
        break;
      case 'stepStarted':
        steps.push(fact.value.stepId);
        break;
      case 'stateSet':
        sessionState[fact.value.key] = textOf(fact.value.value, answers);
        break;
      case 'runFailed':
        return { status: 'failed', response: fact.value.text, steps: steps.sort(), sessionState };
      case 'runCompleted':
        return { status: 'completed', response: textOf(fact.value.output, answers), steps: steps.sort(), sessionState };
      default:
    }
  }
  return undefined;
}

function textOf(output: facts.Output | undefined, answers: ReadonlyMap<number, string>): string {
  return (output?.parts ?? [])
    .map((part) => (part.answerRevision === 0 ? part.text : (answers.get(part.answerRevision) ?? '?')))
    .join('\n');
}
