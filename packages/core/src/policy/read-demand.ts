/** Who decides, how many of them and until when, from the plain data of a rule. */
import { formatDuration, parseDuration } from '../text/duration.ts';
import { keyOf } from './merge-demands.ts';
import { readNotify } from './notify.ts';
import type { ApproverSpec, DemandSpec, EscalationSpec } from './policy.ts';
import { didYouMean, isMapping, type PolicyReader } from './policy-reader.ts';

/** The keys of a rule that say what an approval takes: only a rule that asks may have them. */
export const demandKeys = ['approvers', 'separation_of_duties', 'expires', 'remind', 'escalate'] as const;

/** Approvers of one list. */
const approversMax = 32;
const remindersMax = 16;
const escalationsMax = 8;
const votesMax = 16;
const afterMsMin = 1_000;
const afterMsMax = 366 * 24 * 3_600_000;

const roles = ['USER', 'ADMIN', 'SUPER_ADMIN'] as const;

/** What a rule demands; undefined if it says nothing of that. Problems are told to the reader. */
export function readDemand(rule: Readonly<Record<string, unknown>>, reader: PolicyReader): DemandSpec | undefined {
  if (!demandKeys.some((key) => rule[key] !== undefined)) return undefined;
  const { approvers, votes } = readQuorum(rule.approvers, reader.at('approvers'));
  const expires = rule.expires === undefined ? undefined : readExpiry(rule.expires, reader.at('expires'));
  const remindAfterMs = reader
    .at('remind')
    .list(rule.remind, remindersMax)
    .map(({ value, at }) => readAfter(value, at))
    .sort((a, b) => a - b);
  const escalations = reader
    .at('escalate')
    .list(rule.escalate, escalationsMax)
    .map(({ value, at }) => readEscalation(value, at))
    .sort((a, b) => a.afterMs - b.afterMs);
  const notRequester = reader.at('separation_of_duties').flag(rule.separation_of_duties);
  if (expires?.verdict === 'reject') {
    const isLate = (ms: number): boolean => ms >= expires.afterMs;
    const over = `never happens: the approval is over after ${formatDuration(expires.afterMs)} (then: leave keeps it open)`;
    const tell = (key: string, times: readonly number[]): void => {
      const late = times.filter(isLate).map(formatDuration);
      if (late.length > 0) reader.at(key).problem(`what is to come after ${late.join(', ')} ${over}`);
    };
    tell('remind', remindAfterMs);
    tell(
      'escalate',
      escalations.map(({ afterMs }) => afterMs),
    );
  }
  return { approvers, votes, notRequester, ...(expires && { expires }), remindAfterMs, escalations };
}

const quorum = /^\s*(\d+)\s+of\s+\[(.*)\]\s*$/;
const howApprovers =
  'expected a list of approvers, or how many of them: 2 of [group:finance, role:ADMIN, alice@example.com]';

function readQuorum(value: unknown, reader: PolicyReader): { approvers: ApproverSpec[]; votes: number } {
  if (value === undefined) return { approvers: [], votes: 1 };
  const [, count, names] = (typeof value === 'string' ? quorum.exec(value) : null) ?? [];
  const isOne = typeof value === 'string' && !/[[\],]/.test(value);
  const listed = names === undefined ? (isOne ? [value] : value) : names.split(',').map((name) => name.trim());
  if (!Array.isArray(listed)) reader.problem(howApprovers);
  const approvers = Array.isArray(listed) ? readApprovers(listed, reader) : [];
  const votes = count === undefined ? 1 : Number(count);
  if (votes < 1 || votes > votesMax) reader.problem(`expected a number of approvers from 1 to ${votesMax}`);
  const isTwice = Array.isArray(listed) && listed.length > approvers.length;
  const isEverybodyNamed = approvers.length > 0 && approvers.every(({ kind }) => kind === 'user');
  if (isEverybodyNamed && votes > approvers.length)
    reader.problem(
      `asks for ${votes} people and names ${approvers.length}${isTwice ? ', one of them twice' : ''}: nobody could ever approve it`,
    );
  return { approvers, votes };
}

function readApprovers(value: unknown, reader: PolicyReader): ApproverSpec[] {
  const listed = reader.list(value, approversMax);
  if (Array.isArray(value) && value.length === 0) reader.problem('must name somebody');
  const approvers = listed.flatMap(({ value: one, at }) => readApprover(one, at) ?? []);
  // As they are counted: whoever is named twice, in another case say, is one.
  const byKey = new Map(approvers.map((one) => [keyOf(one), one]));
  return [...byKey.values()];
}

function readApprover(value: unknown, reader: PolicyReader): ApproverSpec | undefined {
  const written = typeof value === 'string' ? value.trim() : '';
  const [, kind, name] = /^(user|role|group):\s*(.+)$/.exec(written) ?? [];
  if (kind === 'role') {
    const role = roles.find((one) => one === name);
    if (role === undefined)
      reader.problem(
        `there is no role ${reader.quoted(name)}; there are ${roles.join(', ')}${didYouMean(name, roles)}`,
      );
    return role && { kind: 'role', name: role };
  }
  if (name !== undefined && reader.isName(name)) return { kind: kind === 'group' ? 'group' : 'user', name };
  if (/^[^:\s]+@[^:\s]+$/.test(written) && reader.isName(written)) return { kind: 'user', name: written };
  const meant = reader.isName(written) && !written.includes(':') ? `; did you mean group:${written}?` : '';
  reader.problem(`expected an e-mail, or a name with what it is of: group:finance, role:ADMIN, user:alice${meant}`);
  return undefined;
}

function readExpiry(value: unknown, reader: PolicyReader): DemandSpec['expires'] {
  if (!isMapping(value)) {
    reader.problem('expected { after: 24h, then: reject }, or leave instead of reject');
    return undefined;
  }
  reader.keys(value, ['after', 'then']);
  const afterMs = readAfter(value.after, reader.at('after'));
  const after = value.then ?? 'reject';
  if (after !== 'reject' && after !== 'leave')
    reader.at('then').problem(`expected reject (as without it) or leave${didYouMean(after, ['reject', 'leave'])}`);
  return { afterMs, verdict: after === 'leave' ? 'leave' : 'reject' };
}

function readEscalation(value: unknown, reader: PolicyReader): EscalationSpec {
  if (!isMapping(value)) {
    reader.problem('expected { after: 4h, to: [role:ADMIN] }');
    return { afterMs: 0, to: [] };
  }
  reader.keys(value, ['after', 'to', 'notify']);
  const to = reader.at('to');
  if (!Array.isArray(value.to)) to.problem('expected a list of approvers: [role:ADMIN]');
  const notify = readNotify(value.notify, reader.at('notify'));
  return {
    afterMs: readAfter(value.after, reader.at('after')),
    to: Array.isArray(value.to) ? readApprovers(value.to, to) : [],
    ...(notify && { notify }),
  };
}

/** A time from when the approval is requested; 0 if it is none. */
function readAfter(value: unknown, reader: PolicyReader): number {
  const ms = typeof value === 'string' || typeof value === 'number' ? parseDuration(value) : undefined;
  if (ms !== undefined && ms >= afterMsMin && ms <= afterMsMax) return ms;
  reader.problem(`expected a time from ${formatDuration(afterMsMin)} to ${formatDuration(afterMsMax)}, such as 24h`);
  return 0;
}
