import type { Message } from '@stopgo/a2a-agent';
import { type Json, sha256Hex } from '@stopgo/core';
import { principalKey } from '@stopgo/rpc';
import type { A2ACall } from './call.ts';
import { soundJson } from './sound-json.ts';

/** What makes a repeated message the same message. */
export type Identity = { readonly key: string; readonly requestDigest: string };

/** A digest of what a message says, whatever its id. */
const contentDigest = ({ parts, metadata }: Message): string =>
  sha256Hex(
    soundJson({
      parts: parts.map(({ content }) => [content?.$case ?? '', contentOf(content?.value)]),
      metadata: (metadata ?? {}) as Json,
    }),
  );

const contentOf = (value: unknown): Json =>
  Buffer.isBuffer(value) ? value.toString('base64') : ((value ?? null) as Json);

/** The identity of a first message: the client's own key, if it gave one. @throws A2AError for what is not sound. */
export const firstMessageIdentity = (call: A2ACall, message: Message): Identity | undefined =>
  call.idempotencyKey === undefined
    ? undefined
    : {
        key: call.idempotencyKey,
        requestDigest: sha256Hex(`a2a first ${message.contextId} ${contentDigest(message)}`),
      };

/**
 * The identity of a message to a task: its sender, task, id and content. The id alone is none: there are clients that use
 * it again for other words. Undefined for a message without an id.
 *
 * @throws A2AError for what is not sound.
 */
export function followUpIdentity({ frame }: A2ACall, message: Message): Identity | undefined {
  if (message.messageId === '') return undefined;
  const requestDigest = sha256Hex(
    soundJson([principalKey(frame.principal), message.taskId, message.messageId, contentDigest(message)]),
  );
  return { key: `a2a:${requestDigest}`, requestDigest };
}

/** The part of a message's identity that is its decision on this approval. */
export const decisionIdentity = (identity: Identity, approvalId: string): Identity => ({
  ...identity,
  key: `${identity.key}:${approvalId}`,
});
