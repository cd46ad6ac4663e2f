import { isObject, parseObject } from './json.ts';
import type { ProviderName } from './model-name.ts';
import type { Assistant } from './transcript.ts';

/**
 * Who signed the content: the provider itself, or the offline model that stands in for it. Neither accepts what the
 * other has signed, and a conversation may begin with one and go on with the other.
 */
export type Origin = 'live' | 'offline';

/** Wraps a provider's own assistant content, to be replayed to the same provider unchanged. */
export function encodeOpaque(origin: Origin, content: readonly object[]): Uint8Array {
  return Buffer.from(JSON.stringify({ origin, content }), 'utf8');
}

/** The content that may be replayed to this provider; undefined if there is none, and text and calls must do. */
export function decodeOpaque(
  message: Assistant,
  provider: ProviderName,
  origin: Origin,
): readonly object[] | undefined {
  if (message.provider !== provider || !message.opaque) return undefined;
  const wrapped = parseObject(Buffer.from(message.opaque).toString('utf8'));
  if (!wrapped || wrapped.origin !== origin || !Array.isArray(wrapped.content)) return undefined;
  const content = wrapped.content.filter(isObject);
  return content.length > 0 ? content : undefined;
}
