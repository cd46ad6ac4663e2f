import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import {
  type Actor,
  approvalKindWord,
  cutText,
  decidedByOf,
  decidedWord,
  demandFromWire,
  demandText,
  isDescriptionCut,
  nobodyDecided,
  visibleJson,
  visibleLine,
  visibleText,
} from '@stopgo/core';
import { facts, views } from '@stopgo/proto';
import type { SecretFilter } from '@stopgo/security';
import { descriptionBytesShown, titleNameCharactersMax } from '../bounds.ts';
import { cleanArguments, type ShownArguments } from './clean-arguments.ts';
import type { NoticeLink } from './links.ts';
import type { Notice } from './notices.ts';

/** What the body of a notice is made of. */
export type NoticeParts = {
  readonly notice: Notice;
  /** As it is now, which may be later than the notice. */
  readonly approval: views.Approval;
  /** The first words of the conversation. */
  readonly title: string;
  /** Name of the agent that this process runs. */
  readonly agent: string;
  /** Where people reach the platform, without a slash at the end; undefined: nobody knows. */
  readonly publicUrl: string | undefined;
  /** In milliseconds since 1970. */
  readonly now: number;
  readonly secrets: SecretFilter;
  /** With which its user decides; absent: there is none. */
  readonly link?: NoticeLink;
};

/** What a webhook is sent: the shape of docs/webhook.schema.json. */
export function noticeBody({ notice, approval, title, link, ...more }: NoticeParts): string {
  const { type, number, time, actor } = notice;
  const { agent, publicUrl } = more;
  const body = {
    type: `approval.${type}`,
    timestamp: new Date(time).toISOString(),
    data: {
      approval: shownApproval(approval, more),
      conversation: {
        id: approval.conversationId,
        title: more.secrets.hide(visibleLine(title)),
        ...linkTo(publicUrl, `/conversations/${approval.conversationId}`),
      },
      actor: type === 'requested' ? askerOf(approval, actor, agent) : shownActor(actor),
      ...(type === 'reminded' ? { reminder: number } : {}),
      ...(type === 'escalated' ? { escalation: number } : {}),
      ...(link === undefined
        ? {}
        : { link: { url: link.url, user: link.user, expires_at: link.expiresAt.toISOString() } }),
    },
  };
  return visibleJson(JSON.stringify(body));
}

function shownApproval(
  approval: views.Approval,
  { agent, publicUrl, now, secrets }: Omit<NoticeParts, 'notice' | 'approval' | 'title'>,
) {
  const clean = cleanArguments([approval.argumentsJson, approval.argumentsBeforeJson], secrets);
  const { isHidden, hide } = clean;
  const [current, before] = clean.versions;
  const line = (text: string): string => hide(visibleLine(text));
  const told = isHidden ? '' : hide(visibleText(approval.description));
  const description = cutText(told, descriptionBytesShown);
  const demand = demandFromWire(approval);
  return {
    id: approval.id,
    conversation_id: approval.conversationId,
    run_id: approval.runId,
    kind: approvalKindWord(approval.kind),
    status: statusWords[approval.status] ?? 'unknown',
    title: hide(titleOf(approval, agent)),
    tool: line(approval.tool),
    server: line(approval.server),
    agent: line(agent),
    node: line(approval.node),
    ...(approval.agents.length === 0 ? {} : { agents: approval.agents.map(line) }),
    ...(current?.shown === undefined ? {} : { arguments: current.shown }),
    arguments_cut: current?.isCut ?? false,
    ...editOf(approval, before, hide),
    description: description.text,
    description_cut: isHidden || description.cut !== undefined || isDescriptionCut(approval.description),
    choices: approval.choices,
    reason: line(approval.reason),
    rule: line(approval.rule),
    who_may_decide: demand === undefined ? 'whoever may decide approvals' : line(demandText(demand, now)),
    votes_needed: demand?.votes ?? 1,
    votes: approval.votes.map(({ decision, voter, at }) => ({
      decision: decidedWord(decision),
      by: line(voter?.name ?? ''),
      claimed: voter?.claimed ?? false,
      at: shownTime(at),
    })),
    requested_at: shownTime(approval.requestedAt),
    expires_at: shownTime(approval.expiresAt),
    on_expiry: approval.expiresAt === undefined ? undefined : (demand?.expires?.verdict ?? 'reject'),
    ...linkTo(publicUrl, `/approvals/${approval.id}`),
    ...decisionOf(approval, hide),
  };
}

/** Who changed the arguments, from what. */
function editOf({ edit }: views.Approval, before: ShownArguments | undefined, hide: (text: string) => string) {
  if (edit === undefined) return {};
  return {
    edited: {
      by: hide(visibleLine(edit.voter?.name ?? '')),
      claimed: edit.voter?.claimed ?? false,
      ...(edit.said === '' ? {} : { said: hide(visibleText(edit.said)) }),
      replaces: edit.replaces,
      ...(before?.shown === undefined ? {} : { arguments_before: before.shown }),
      arguments_before_cut: before?.isCut ?? false,
    },
  };
}

function decisionOf(approval: views.Approval, hide: (text: string) => string) {
  if (approval.decision === facts.Decision.UNSPECIFIED) return {};
  const by = decidedByOf(approval);
  return {
    decision: decidedWord(approval.decision),
    ...(by === undefined ? {} : { decided_by: { name: hide(visibleLine(by.name)), claimed: by.claimed } }),
    decided_at: shownTime(approval.decidedAt),
    ...(approval.decidedSaid === '' || approval.decision === facts.Decision.EXPIRED
      ? {}
      : { said: hide(visibleText(approval.decidedSaid)) }),
  };
}

/** What is asked, or that nobody answered, in one line for people. */
function titleOf(approval: views.Approval, agent: string): string {
  const title = questionOf(approval, agent);
  return approval.decision === facts.Decision.EXPIRED ? `It expired, ${nobodyDecided}: ${title}` : title;
}

function questionOf({ kind, tool, server, remoteAgentName, edit }: views.Approval, agent: string): string {
  const named = (name: string): string => visibleLine(cutName(name));
  const call = server === '' ? named(tool) : `${named(tool)} on ${named(server)}`;
  switch (kind) {
    case facts.ApprovalKind.IN_DOUBT:
      return `Nobody knows whether ${call} has happened`;
    case facts.ApprovalKind.PROXY:
      return `${named(remoteAgentName)} asks whether to call ${call}`;
    default:
      return `${named(agent)} wants to call ${call}${edit === undefined ? '' : `, changed by ${named(edit.voter?.name ?? '')}`}`;
  }
}

const cutName = (name: string): string =>
  name.length > titleNameCharactersMax ? `${name.slice(0, titleNameCharactersMax)}…` : name;

/** Who has an approval asked for: the agent, or who changed the call. */
function askerOf({ edit }: views.Approval, actor: Actor, agent: string) {
  if (edit?.voter === undefined || actor.kind === 'system' || actor.kind === 'agent')
    return shownActor({ kind: 'agent', id: agent });
  return { kind: 'person', name: visibleLine(edit.voter.name), claimed: edit.voter.claimed };
}

function shownActor({ kind, id, surface = '', principal }: Actor) {
  const name = visibleLine(id);
  if (kind === 'system') return { kind: 'platform' };
  if (kind === 'agent') return { kind: 'agent', name };
  return { kind: 'person', name, claimed: surface !== '' && principal === undefined };
}

/** The path of a thing in the API, and its address if it is known. */
const linkTo = (publicUrl: string | undefined, path: string) => ({
  path,
  ...(publicUrl === undefined ? {} : { url: `${publicUrl}${path}` }),
});

const statusWords: Readonly<Record<number, string>> = {
  [views.ApprovalStatus.PENDING]: 'pending',
  [views.ApprovalStatus.APPROVED]: 'approved',
  [views.ApprovalStatus.REJECTED]: 'rejected',
  [views.ApprovalStatus.EXPIRED]: 'expired',
  [views.ApprovalStatus.WITHDRAWN]: 'withdrawn',
};

const shownTime = (time: Timestamp | undefined): string | undefined =>
  time === undefined ? undefined : timestampDate(time).toISOString();
