import { askAgain, type Part, RequestMalformedError, type SaidDecision, shownApproval } from '@stopgo/a2a-agent';
import {
  canonicalJson,
  cutText,
  DomainError,
  type HumanDecision,
  type Json,
  parseJson,
  saidBytesMax,
} from '@stopgo/core';
import { approvals, type orchestrator, views } from '@stopgo/proto';
import { callMarginMs } from '../bounds.ts';
import { type SoundView, soundView } from '../render/sound-view.ts';
import { permit, type RouteDependencies } from '../routes/route.ts';
import { type A2AActor, type A2ACall, approverOf } from './call.ts';
import { isFirstApproval } from './first-asked.ts';
import { decisionIdentity, type Identity } from './identity.ts';

/** What a message to a task with pending approvals came to. `says`: it decided nothing, and is asked again with this. */
export type Decided = { readonly view: SoundView; readonly says?: Part[] };

/** A message that may decide. */
export type Deciding = {
  readonly view: SoundView;
  readonly said: readonly SaidDecision[];
  readonly identity: Identity | undefined;
  readonly waitMs: number;
  /** Has whoever came with the message told of the task. */
  setPush(): Promise<void>;
};

/** A decision on one approval. */
type Named = {
  readonly approvalId: string;
  readonly decision: HumanDecision;
  readonly said?: string;
  readonly actor: A2AActor;
  readonly identity: Identity | undefined;
  /** Arguments that came along. */
  readonly arguments?: Json | undefined;
};

/**
 * Records what a message decides, one approval after the other, and waits for what the run comes to after the last.
 *
 * @throws A2AError for an approval of another task; DomainError as the approvals service says it, for one that is settled.
 */
export async function decide(deps: RouteDependencies, call: A2ACall, deciding: Deciding): Promise<Decided> {
  const { view, waitMs } = deciding;
  const named = await namedDecisions(deps, call, deciding);
  for (const one of named) await requireSameArguments(deps, call, view, one);
  // What is settled is refused, but for the same decision sent again.
  const isOpen = named.every(({ approvalId }) => view.head.pendingApprovalIds.includes(approvalId));
  if (isOpen) await deciding.setPush();
  if (named.length === 0) return { view, says: askAgain(view.approvals.map(shownApproval)) };
  let after = view;
  for (const [index, one] of named.entries()) {
    const turn = await resolve(deps, call, one, index === named.length - 1 ? waitMs : 0).catch((error: unknown) => {
      // The word is none of those that this approval knows.
      if (error instanceof DomainError && error.details.reason === 'choice') return undefined;
      throw error;
    });
    if (turn === undefined) return { view: after, says: askAgain(after.approvals.map(shownApproval)) };
    after = soundView(turn.view);
  }
  if (!isOpen) await deciding.setPush();
  return { view: after };
}

/** Each decision with the approval that it is about; none, if it is not certain what was meant. */
async function namedDecisions(deps: RouteDependencies, call: A2ACall, deciding: Deciding): Promise<readonly Named[]> {
  const { view, said, identity } = deciding;
  const [first] = said;
  if (first === undefined) return call.dialect === 'legacy' ? rejectionOfOnly(call, deciding) : [];
  if (first.approvalId === undefined) {
    const [only, ...others] = view.head.pendingApprovalIds;
    if (only === undefined || others.length > 0) return [];
    if (call.dialect !== 'legacy' && !(await isFirstApproval(deps, call, view, only))) return [];
    const { decision, said: words = '', arguments: given } = first;
    return [{ approvalId: only, decision, said: words, actor: approverOf(call, first.by), identity, arguments: given }];
  }
  const named = said.flatMap(({ approvalId, decision, said: words = '', by, arguments: given }) =>
    approvalId === undefined
      ? []
      : [
          {
            approvalId,
            decision,
            said: words,
            actor: approverOf(call, by),
            identity: identity && decisionIdentity(identity, approvalId),
            arguments: given,
          },
        ],
  );
  for (const { approvalId } of named) await requireOfTask(deps, call, view, approvalId);
  return named;
}

/**
 * In the legacy dialect whatever is no yes is a no, as long as it is clear to what. Of a call in doubt it is none: that would
 * give up what may have happened.
 */
function rejectionOfOnly(call: A2ACall, { view, identity }: Deciding): readonly Named[] {
  const [only, ...others] = view.head.pendingApprovalIds;
  if (only === undefined || others.length > 0) return [];
  if (view.approvals.find(({ id }) => id === only)?.choices.includes('give_up')) return [];
  return [
    {
      approvalId: only,
      decision: { kind: approvals.DecisionKind.REJECT },
      actor: approverOf(call, undefined),
      identity,
    },
  ];
}

/**
 * A yes that brings the arguments back as they were shown is about the call. One that brings others means another call, and must not let
 * this one run.
 */
async function requireSameArguments(
  { clients }: RouteDependencies,
  { frame }: A2ACall,
  view: SoundView,
  { approvalId, decision, arguments: given }: Named,
): Promise<void> {
  if (given === undefined || decision.kind !== approvals.DecisionKind.APPROVE) return;
  const shown =
    view.approvals.find(({ id }) => id === approvalId) ??
    (await clients.store.getApproval({ approvalId }, { context: frame.context })).approval;
  const is = parseJson(shown?.argumentsJson ?? '');
  if (is !== undefined && canonicalJson(is) === canonicalJson(given)) return;
  throw new RequestMalformedError(
    `the arguments that came with the decision on ${approvalId} are not those of the call; leave them out to approve it as it is, or change them with POST /approvals/${approvalId}`,
  );
}

async function requireOfTask({ clients }: RouteDependencies, { frame }: A2ACall, view: SoundView, approvalId: string) {
  if (view.head.pendingApprovalIds.includes(approvalId)) return;
  const call = clients.store.getApproval({ approvalId }, { context: frame.context });
  const { approval } = await call.catch((error: unknown) => {
    if (error instanceof DomainError && error.kind === 'not_found') return { approval: undefined };
    throw error;
  });
  if (approval?.conversationId === view.head.id) return;
  throw new RequestMalformedError(`the approval ${approvalId} is none of this task`);
}

async function resolve(
  deps: RouteDependencies,
  call: A2ACall,
  { approvalId, decision, said = '', actor, identity }: Named,
  milliseconds: number,
): Promise<orchestrator.Turn | undefined> {
  await permit(deps, call.frame, 'approval.resolve', { kind: 'approval', id: approvalId });
  const { turn } = await deps.clients.approvals.resolve(
    {
      approvalId,
      kind: decision.kind,
      result: decision.result ?? '',
      said: cutText(said, saidBytesMax).text,
      actor,
      wait: { milliseconds },
      ...(identity === undefined ? {} : { idempotency: identity }),
    },
    { context: call.frame.context, timeoutMs: milliseconds + callMarginMs },
  );
  return turn;
}

/** True while approvals of the task are pending. */
export const isPending = ({ head }: SoundView): boolean =>
  head.status === views.ConversationStatus.WAITING_APPROVAL || head.pendingApprovalIds.length > 0;
