import { type ApproverSpec, type DemandSpec, formatDuration, type Rule } from '@stopgo/core';

/** Who decides, and until when, in words. */
export function demandWords({
  approvers,
  votes,
  notRequester,
  expires,
  remindAfterMs,
  escalations,
}: DemandSpec): string {
  const who = approvers.length === 0 ? 'whoever may decide approvals' : names(approvers);
  return [
    votes > 1 ? `${votes} of ${who}` : who,
    ...(notRequester ? ['not whoever asked'] : []),
    ...(expires === undefined ? [] : [`after ${formatDuration(expires.afterMs)}: ${endWords[expires.verdict]}`]),
    ...(remindAfterMs.length === 0 ? [] : [`reminded after ${remindAfterMs.map(formatDuration).join(', ')}`]),
    ...escalations.map(({ afterMs, to }) => `after ${formatDuration(afterMs)} also ${names(to)}`),
  ].join('; ');
}

const endWords = { reject: 'rejected', leave: 'overdue' } as const;

function names(approvers: readonly ApproverSpec[]): string {
  return approvers.map(({ kind, name }) => (kind === 'user' ? name : `${kind}:${name}`)).join(', ');
}

/** What a rule says, in words, a line each. */
export function ruleWords({ name: _name, demand, annotations, verdict, reason, when, ...globs }: Rule): string[] {
  const hints = Object.entries(annotations ?? {}).map(([hint, value]) => `${hint}: ${value}`);
  return [
    ...Object.entries(globs).map(([key, glob]) => `${key}: ${glob}`),
    ...(hints.length === 0 ? [] : [`annotations: ${hints.join(', ')}`]),
    ...(when === undefined ? [] : [`when: ${when}`]),
    `verdict: ${verdict}`,
    ...(reason === '' ? [] : [`reason: ${reason}`]),
    ...(demand === undefined ? [] : [`decided by: ${demandWords(demand)}`]),
  ];
}
