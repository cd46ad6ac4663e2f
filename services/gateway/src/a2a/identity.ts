import { type FirstMessage, type FollowUp, resultOf, soundJson } from '@stopgo/a2a-agent';
import { principalKey, sha256Hex } from '@stopgo/core';
import type { A2ACall } from './call.ts';

/** What makes a repeated message the same message. */
export type Identity = { readonly key: string; readonly requestDigest: string };

/** The identity of a first message: the client's own key, if it gave one. @throws A2AError for what is not sound. */
export const firstMessageIdentity = (call: A2ACall, { contextId, digest }: FirstMessage): Identity | undefined =>
  call.idempotencyKey === undefined
    ? undefined
    : {
        key: call.idempotencyKey,
        requestDigest: sha256Hex(`a2a first ${contextId} ${resultOf(digest)}`),
      };

/**
 * The identity of a message to a task: its sender, task, id and content. The id alone is none: there are clients that use
 * it again for other words. Undefined for a message without an id.
 *
 * @throws A2AError for what is not sound.
 */
export function followUpIdentity({ frame }: A2ACall, said: FollowUp): Identity | undefined {
  const { messageId, task, digest } = said;
  if (messageId === '') return undefined;
  const requestDigest = sha256Hex(
    soundJson([principalKey(frame.principal), task.asWritten, messageId, resultOf(digest)]),
  );
  return { key: `a2a:${requestDigest}`, requestDigest };
}

/** The part of a message's identity that is its decision on this approval. */
export const decisionIdentity = (identity: Identity, approvalId: string): Identity => ({
  ...identity,
  key: `${identity.key}:${approvalId}`,
});
