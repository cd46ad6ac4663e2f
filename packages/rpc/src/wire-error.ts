import { DomainError, type ErrorKind } from '@stopgo/core';
import { errorBytesMax, errorTextBytesMax } from './bounds.ts';

/** What of a DomainError a caller gets to see. */
export type WireError = {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly details: Readonly<Record<string, string>>;
  readonly retryAfterMs?: number;
};

/** Added to the details when some did not fit. */
const detailsCut = 'details_cut';

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/**
 * The part of `error` that travels: without cause and stack, and at most `errorBytesMax` bytes as JSON. A longer text
 * is cut, details are kept in order as long as they fit, and `details_cut: "true"` says that some are missing.
 */
export function wireErrorOf(error: DomainError): WireError {
  const whole: WireError = {
    kind: error.kind,
    message: error.message,
    details: error.details,
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
  };
  if (jsonBytes(whole) <= errorBytesMax) return whole;

  const message = cutText(error.message);
  const details: Record<string, string> = { [detailsCut]: 'true' };
  let left = errorBytesMax - jsonBytes({ ...whole, message, details });
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
  if (jsonBytes(text) <= errorTextBytesMax) return text;
  // The longest JSON escape of one UTF-16 unit takes six bytes, so this many units always fit.
  return `${text.slice(0, Math.floor(errorTextBytesMax / 6) - 1)}…`;
}
