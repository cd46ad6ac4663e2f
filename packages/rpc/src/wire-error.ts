import { DomainError, type ErrorKind } from '@stopgo/core';
import { ERROR_BYTES_MAX, ERROR_TEXT_BYTES_MAX } from './bounds.ts';

/** What of a DomainError a caller gets to see. */
export type WireError = {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly details: Readonly<Record<string, string>>;
  readonly retryAfterMs?: number;
};

/** Added to the details when some did not fit. */
const DETAILS_CUT = 'details_cut';

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/**
 * The part of `error` that travels: without cause and stack, and at most `ERROR_BYTES_MAX` bytes as JSON. A longer text
 * is cut, details are kept in order as long as they fit, and `details_cut: "true"` says that some are missing.
 */
export function wireErrorOf(error: DomainError): WireError {
  const whole: WireError = {
    kind: error.kind,
    message: error.message,
    details: error.details,
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
  };
  if (jsonBytes(whole) <= ERROR_BYTES_MAX) return whole;

  const message = cutText(error.message);
  const details: Record<string, string> = { [DETAILS_CUT]: 'true' };
  let left = ERROR_BYTES_MAX - jsonBytes({ ...whole, message, details });
  for (const [key, value] of Object.entries(error.details)) {
    left -= jsonBytes({ [key]: value });
    if (left < 0) break;
    details[key] = value;
  }
  return { ...whole, message, details };
}

/** The error that a caller throws for what it received. */
export function domainErrorOf(wire: WireError): DomainError {
  return new DomainError(wire.kind, wire.message, {
    details: wire.details,
    ...(wire.retryAfterMs === undefined ? {} : { retryAfterMs: wire.retryAfterMs }),
  });
}

function cutText(text: string): string {
  if (jsonBytes(text) <= ERROR_TEXT_BYTES_MAX) return text;
  // The longest JSON escape of one UTF-16 unit takes six bytes, so this many units always fit.
  return `${text.slice(0, Math.floor(ERROR_TEXT_BYTES_MAX / 6) - 1)}…`;
}
