import { canonicalJson, type Json } from '@stopgo/core';
import { RequestMalformedError } from '../protocol.ts';

/**
 * Canonical JSON of what a peer sent. gRPC can send numbers that JSON does not have, and JSON halves of characters.
 *
 * @throws A2AError that says what is wrong with it.
 */
export function soundJson(value: Json): string {
  try {
    return canonicalJson(value);
  } catch (error) {
    if (error instanceof TypeError) throw new RequestMalformedError(`the message cannot be read: ${error.message}`);
    throw error;
  }
}
