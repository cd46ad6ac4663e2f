/**
 * By this extension an agent promises: a message that comes again with the same `Idempotency-Key` header, from the same
 * caller, makes no second task. Its answer is the task that the first one made, for as long as that task is known.
 */
export const idempotencyExtension = 'urn:stopgo:a2a:idempotency-key:v1';
