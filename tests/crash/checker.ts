import type { RecordedFact } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import { greeting, toldTo } from '../promises/node-lines.ts';
import type { LoggedConversation } from '../promises/read-log.ts';
import { brokenRules, type CallAndRuns, callsAndRuns, isRepeatable, nameOf } from '../promises/rules.ts';
import type { Evidence } from './evidence.ts';

const { Decision } = facts;

/** Everything that is wrong, one line each. Empty: all promises were kept. */
export function check(evidence: Evidence): string[] {
  return [
    ...brokenRules(evidence),
    ...callsAndRuns(evidence).flatMap((one) => [...repeated(one), ...doubted(one, evidence)]),
    ...evidence.conversations.flatMap((one) => askedAgain(one, evidence)),
  ];
}

/** Invariant 4: once, unless a human said to run it again in between. */
function repeated({ call, runs }: CallAndRuns): string[] {
  if (isRepeatable(call)) return [];
  return runs
    .filter((run, index) => {
      const before = runs[index - 1];
      if (before === undefined) return false;
      return !call.decisions.some(
        ({ decision, at }) => decision === Decision.RUN_AGAIN && at >= before.begunAt && at <= run.begunAt,
      );
    })
    .map((run) => `a call ran twice and nobody asked for it: ${nameOf(run)}`);
}

/** A call is in doubt only if since its start something died, or the call was asked to stop. */
function doubted({ call }: CallAndRuns, { deaths }: Evidence): string[] {
  return call.doubts
    .filter(
      ({ at: doubtAt, startedAt = Number.POSITIVE_INFINITY }) =>
        ![...deaths, ...call.cancels].some((cause) => cause >= startedAt && cause <= doubtAt),
    )
    .map(() => `a call is in doubt although nothing died and nobody stopped it: ${nameOf(call)}`);
}

/** Invariant 8: a model is not asked again for an answer that is on the record. */
function askedAgain({ id, events }: LoggedConversation, { modelRequests, lives }: Evidence): string[] {
  const first = events.find(({ fact }) => fact.case === 'userMessageReceived')?.fact;
  if (first?.case !== 'userMessageReceived') return [];
  const answers = events.filter(({ fact }) => fact.case === 'modelResponded' || fact.case === 'modelFailed');
  const nodes = new Set(answers.map(nodeOf));
  return [...nodes].flatMap((node) => {
    const told = node === '' ? first.value.text : toldTo(node, first.value.text);
    // What all are told alike tells nobody apart.
    if (told === greeting) return [];
    const text = JSON.stringify(told);
    const requests = modelRequests.filter(({ body }) => body.includes(text));
    const who = node === '' ? `conversation ${id}` : `node ${node} of conversation ${id}`;
    return askedOfNode(
      who,
      answers.filter((answer) => nodeOf(answer) === node),
      requests,
      lives,
    );
  });
}

function nodeOf({ fact }: RecordedFact): string {
  return fact.case === 'modelResponded' || fact.case === 'modelFailed' ? fact.value.node : '';
}

/** What one node asked: its requests are told apart by how much they hold. */
function askedOfNode(
  who: string,
  answers: readonly RecordedFact[],
  requests: Evidence['modelRequests'],
  lives: Evidence['lives'],
): string[] {
  const turns = [...new Set(requests.map(({ historyLength }) => historyLength))].sort((one, other) => one - other);
  if (turns.length < answers.length)
    return [`${who} has ${answers.length} answers, and the model was asked for ${turns.length}`];
  return turns.flatMap((turn, index) => {
    const asked = requests.filter(({ historyLength }) => historyLength === turn).map(({ life }) => life);
    const inOneLife = asked.length - new Set(asked).size;
    const answer = answers[index];
    const answeredIn = answer === undefined ? lives.length : lives.findIndex(({ endedAt }) => answer.time <= endedAt);
    const late = asked.filter((life) => life > answeredIn).length;
    return [
      ...(inOneLife > 0 ? [`${who} asked the model twice for turn ${index + 1}`] : []),
      ...(late > 0 ? [`${who} asked the model for turn ${index + 1} after its answer was recorded`] : []),
    ];
  });
}
