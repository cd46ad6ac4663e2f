import { createHash } from 'node:crypto';
import { sortedJson } from './json.ts';
import type { Call } from './turn.ts';

// Signatures are digests of what they sign, so that a restarted server still recognises those it gave out before.

/** The value by which a client may ask Gemini not to check a call that another model made. */
export const skipSignatureCheck = 'skip_thought_signature_validator';

/** The `thoughtSignature` that goes with a Gemini function call. */
export function callSignature(call: Call): string {
  return digest('call', call.name, sortedJson(call.args));
}

/** The `signature` of an Anthropic thinking block, and of OpenRouter's reasoning. */
export function thinkingSignature(thinking: string): string {
  return digest('thinking', thinking);
}

function digest(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\u0000')).digest('base64');
}

/**
 * How the id of a call begins that was made after thinking: so a restarted server still knows that it wants the
 * thinking back.
 */
export const thoughtAboutMark = 'toolu_thought_';
/** The same where the provider's own ids begin differently. */
export const callThoughtAbout = 'call_thought_';
