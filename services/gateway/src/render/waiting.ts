import { pausedClause } from '@stopgo/a2a-agent';
import { visibleText } from '@stopgo/core';
import { views } from '@stopgo/proto';
import type { Answer } from '../json-text.ts';
import { shownLine } from './shown.ts';
import type { SoundView } from './sound-view.ts';
import { rfc3339 } from './time.ts';

const kinds: Readonly<Record<views.WaitKind, string>> = {
  [views.WaitKind.UNSPECIFIED]: 'unknown',
  [views.WaitKind.MODEL]: 'model',
  [views.WaitKind.AGENT]: 'agent',
  [views.WaitKind.TOOL_SERVER]: 'tool_server',
  [views.WaitKind.TOOL_BRIDGE]: 'tool_bridge',
  [views.WaitKind.TOOL_TURN]: 'tool_turn',
  [views.WaitKind.REGISTRY]: 'registry',
};

/** All that the run of a conversation waits for, people first, each with a sentence; undefined if it waits for nothing. */
export function renderWaiting({ head, approvals, waits }: SoundView): readonly Answer[] | undefined {
  const all = [...peopleIn({ head, approvals }), ...waits.map(renderWait)];
  return all.length === 0 ? undefined : all;
}

function peopleIn({ head, approvals }: Pick<SoundView, 'head' | 'approvals'>): Answer[] {
  const count = head.pendingApprovalIds.length;
  const paused = head.run?.paused;
  const [input] = head.pendingInputs;
  const inputs = head.pendingInputs.length;
  return [
    ...(paused === undefined ? [] : [people('pause', paused.at, pausedClause(paused))]),
    ...(count === 0
      ? []
      : [
          people(
            'approval',
            approvals[0]?.requestedAt,
            `people are to decide on ${count} ${count === 1 ? 'call' : 'calls'}`,
          ),
        ]),
    ...(input === undefined
      ? []
      : [
          people(
            'input',
            input.requestedAt,
            `people are to answer ${inputs} ${inputs === 1 ? 'question' : 'questions'}`,
          ),
        ]),
    ...(head.authPrompt === '' ? [] : [people('auth', undefined, visibleText(head.authPrompt))]),
  ];
}

const people = (kind: string, since: views.RunWait['since'], text: string): Answer => ({
  kind,
  since: rfc3339(since),
  text: since === undefined ? text : sinceThen(text, `since ${rfc3339(since)}`),
});

/** The time after a clause, or in brackets after sentences. */
const sinceThen = (text: string, since: string): string =>
  text.endsWith('.') ? `${text} (${since})` : `${text} ${since}`;

/** One thing that a run waits for, other than people. */
export function renderWait(wait: views.RunWait): { readonly [name: string]: Answer | undefined } {
  const { kind, name, reason, since, nextTry } = wait;
  const next = rfc3339(nextTry);
  return {
    kind: kinds[kind] ?? 'unknown',
    name: name === '' ? undefined : shownLine(name),
    since: rfc3339(since),
    next_try_at: next,
    reason: reason === '' ? undefined : shownLine(reason),
    text: sentenceOf(wait),
  };
}

function sentenceOf({ kind, name, reason, since, nextTry }: views.RunWait): string {
  const next = rfc3339(nextTry);
  const times = `since ${rfc3339(since)}${next === undefined ? '' : `, next try at ${next}`}`;
  if (kind !== views.WaitKind.MODEL) return `${what(kind, name)} ${times}`;
  // It may be the provider that has no time for us, or the platform that has no room: the reason says which.
  const why = reason === '' ? '' : `: ${shownLine(reason)}`;
  return `the model "${shownLine(name)}" cannot be asked now (${times})${why}`;
}

function what(kind: views.WaitKind, name: string): string {
  switch (kind) {
    case views.WaitKind.AGENT:
      return `the agent "${shownLine(name)}" is out of reach`;
    case views.WaitKind.TOOL_SERVER:
      return `the tool server "${shownLine(name)}" is down`;
    case views.WaitKind.TOOL_TURN:
      return `other calls of the tool server "${shownLine(name)}" come first`;
    case views.WaitKind.REGISTRY:
      return `the registry, where the agent "${shownLine(name)}" is looked up, is out of reach`;
    case views.WaitKind.TOOL_BRIDGE:
      return 'no bridge to the tools is there';
    default:
      return `something newer than this program is waited for`;
  }
}
