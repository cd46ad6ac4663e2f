import { exactJson } from '@stopgo/client';
import type { ShownApproval } from '../decide/approvals.ts';
import { notPlatform } from '../decide/gateway-error.ts';
import type { ShownInput } from '../decide/shown-input.ts';

/** A conversation as far as a chat looks at it. */
export type View = {
  readonly id: string;
  readonly title: string;
  readonly message_count: number;
  readonly revision: number;
  readonly run?: { readonly status: string };
  readonly pending_approvals: readonly ShownApproval[];
  readonly pending_inputs?: readonly ShownInput[];
  readonly auth_prompt?: string;
  readonly waiting_for?: readonly { readonly kind: string; readonly text: string }[];
};

/** What the gateway says of a conversation, or of a message to it. */
export type Answer = { readonly conversation: View; readonly error?: string };

/**
 * The same, of what was answered at `url`.
 *
 * @throws GatewayError if it holds no conversation: who answers there is no platform.
 */
export function answerOf(answered: object, url: string): Answer {
  const { conversation } = answered as { readonly conversation?: Partial<View> | null };
  const { id, revision, pending_approvals: approvals } = conversation ?? {};
  if (typeof id !== 'string' || typeof revision !== 'number' || !Array.isArray(approvals))
    throw notPlatform(url, 'JSON that holds no conversation', exactJson(answered));
  return answered as Answer;
}
