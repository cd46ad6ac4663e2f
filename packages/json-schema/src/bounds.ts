/** How long one check of a value against a schema may take, in milliseconds. */
export const checkMs = 1_000;
/** Checks that run at the same time in threads of their own. One owner has at most one of them. */
export const threadsMax = 2;
/** Longest wait of a check for its turn, in milliseconds. */
export const waitMs = 5_000;
/** Checks that wait for their turn, in all. */
export const waitingMax = 1_024;
/** How long a value, or a schema, that took too long is not tried again, in milliseconds. */
export const retryAfterMs = 60_000;
/** Values of one schema that may take too long in that time; with the last of them, the schema itself is not tried again. */
export const slowValuesMax = 3;
/** Schemas that are remembered to have taken too long; the oldest are forgotten. */
export const slowSchemasMax = 1_024;
/** Longest start of a thread, in milliseconds. */
export const threadStartMs = 10_000;
/** Memory that a thread may take for a check, in mebibytes. */
export const threadMemoryMb = 128;
/** Places of a value and its schema that coercion looks at; beyond that nothing is coerced. */
export const coercionStepsMax = 20_000;
/** References that coercion follows from one place to the next. */
export const referencesMax = 32;
