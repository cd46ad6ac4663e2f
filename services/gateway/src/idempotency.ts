import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  canonicalJson,
  invalidArgument,
  type Json,
  type Principal,
  principalKey,
  sha256Hex,
  uuidFrom,
} from '@stopgo/core';
import type { facts } from '@stopgo/proto';
import type { Request } from 'express';
import type { RestActor } from './actor.ts';
import { idempotencyKeyCharactersMax, idempotencyKeyCharactersMin } from './bounds.ts';

const visibleAscii = /^[\x21-\x7e]*$/;

/** What makes two requests the same request. */
export type RequestIdentity = {
  /** The route's pattern, for example `/conversations/:id/messages`. */
  readonly route: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: Json;
  readonly actor: RestActor;
};

/**
 * The client's `Idempotency-Key`; undefined if there is none.
 *
 * @throws DomainError `invalid_argument` for a malformed one.
 */
export const idempotencyKeyOf = (req: Request): string | undefined => checkedKey(req.get('idempotency-key'));

/** The same, however it came. @throws DomainError `invalid_argument` for a malformed one. */
export function checkedKey(key: string | undefined): string | undefined {
  if (key === undefined) return undefined;
  const fits = key.length >= idempotencyKeyCharactersMin && key.length <= idempotencyKeyCharactersMax;
  if (!fits || !visibleAscii.test(key)) {
    throw invalidArgument(
      `Idempotency-Key must be ${idempotencyKeyCharactersMin} to ${idempotencyKeyCharactersMax} visible ASCII characters without blanks`,
    );
  }
  return key;
}

/** What a service records of the key; undefined without one. */
export function idempotencyOf(
  req: Request,
  identity: RequestIdentity,
): MessageInitShape<typeof facts.IdempotencySchema> | undefined {
  const key = idempotencyKeyOf(req);
  return key === undefined ? undefined : { key, requestDigest: requestDigest(req.method, identity) };
}

/**
 * Equal for equal requests. The caller's address is left out: who repeats a request may come from another one (IPv4 or
 * IPv6, another network), and is meant to.
 */
function requestDigest(method: string, { route, params, body, actor }: RequestIdentity): string {
  const { kind, id, surface, claimed } = actor;
  return sha256Hex(canonicalJson({ method, route, params, body, actor: { kind, id, surface, claimed } }));
}

/** The id of the conversation that a create with this key makes: the same for each repeat, so that none makes a second. */
export const conversationIdFor = (principal: Principal, key: string): string => uuidFrom(principalKey(principal), key);
