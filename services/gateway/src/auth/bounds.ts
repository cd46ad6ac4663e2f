/** Bytes of all groups that a token names: they travel with every call between services. */
export const groupsBytesMax = 4_096;

/** The last second that a token may say it was issued in: that of the year 9999, the last that the record takes. */
export const issuedAtSecondsMax = 253_402_300_799;

/** How long the keys of an issuer are waited for, in milliseconds. */
export const keysTimeoutMs = 5_000;
/** How soon they are fetched again for a key that was not among them, in milliseconds. */
export const keysCooldownMs = 30_000;
/** How long they are used before they are fetched anew, in milliseconds. */
export const keysCacheMs = 600_000;

/** Conversations and approvals whose owner is remembered: that never changes. */
export const ownersKeptMax = 10_000;
