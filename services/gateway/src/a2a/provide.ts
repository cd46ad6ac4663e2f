import { askInputAgain, RequestMalformedError, type SaidInput } from '@stopgo/a2a-agent';
import { DomainError } from '@stopgo/core';
import { actions } from '../answer-codes.ts';
import { callMarginMs } from '../bounds.ts';
import { type SoundView, soundView } from '../render/sound-view.ts';
import { permit, type RouteDependencies } from '../routes/route.ts';
import { type A2ACall, approverOf } from './call.ts';
import type { Decided } from './decide.ts';
import { decisionIdentity, type Identity } from './identity.ts';

/** A message that may answer what tool servers ask. */
export type Providing = {
  readonly view: SoundView;
  readonly said: readonly SaidInput[];
  readonly identity: Identity | undefined;
  readonly waitMs: number;
};

/**
 * Records the answers of a message, one after the other, and waits for what the run comes to after the last.
 *
 * @throws A2AError for values that are not what is asked for; DomainError as the orchestrator says it, for a question that is
 * settled.
 */
export async function provideInputs(deps: RouteDependencies, call: A2ACall, providing: Providing): Promise<Decided> {
  const { view, said, identity, waitMs } = providing;
  if (said.length === 0) return { view, says: askInputAgain(view.head.pendingInputs) };
  const { id } = view.head;
  await permit(deps, call.frame, 'input.provide', { kind: 'conversation', id });
  let after = view;
  for (const [index, { inputId, action, contentJson, file, isNamed }] of said.entries()) {
    const milliseconds = index === said.length - 1 ? waitMs : 0;
    const answer = deps.clients.orchestrator.provideInput(
      {
        conversationId: id,
        inputId,
        action: actions[action],
        contentJson,
        ...(file === undefined ? {} : { file }),
        caller: { actor: approverOf(call, undefined) },
        wait: { milliseconds },
        // Words that come again are what they were before: no answer to what is asked by then.
        ...(identity === undefined ? {} : { idempotency: isNamed ? decisionIdentity(identity, inputId) : identity }),
      },
      { context: call.frame.context, timeoutMs: milliseconds + callMarginMs },
    );
    const { turn } = await answer.catch((error: unknown) => {
      const isMalformed =
        error instanceof DomainError && (error.kind === 'invalid_argument' || error.kind === 'not_found');
      throw isMalformed ? new RequestMalformedError(error.message) : error;
    });
    after = soundView(turn?.view);
  }
  return { view: after };
}
