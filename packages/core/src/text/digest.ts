import { hash } from 'node:crypto';
import { canonicalJson, type Json, parseJson } from './json.ts';

/** SHA-256 in lower-case hex. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** What an approval binds: exactly this tool of this server, as pinned, with exactly these arguments. */
export type CallIdentity = {
  /** Of a memory: the agent whose it is. */
  readonly server: string;
  readonly tool: string;
  /** Digest of the tool's definition (see `toolPin`). */
  readonly pin: string;
  readonly argumentsJson: string;
};

/**
 * Digest of a call: equal for equal calls, whatever the order of keys or the spacing of the arguments.
 * Throws a TypeError if the arguments are not JSON, or JSON that has no canonical form (see `canonicalJson`).
 */
export function callDigest(call: CallIdentity): string {
  const parsed = parseJson(call.argumentsJson);
  if (parsed === undefined) throw new TypeError('the arguments are not JSON');
  return sha256Hex(canonicalJson({ v: 1, server: call.server, tool: call.tool, pin: call.pin, arguments: parsed }));
}

/**
 * Pin of a tool: the digest of its whole definition as its server gives it, annotations included, so that a server
 * cannot change a hint unseen.
 */
export function toolPin(definition: Json): { readonly pin: string; readonly definitionJson: string } {
  const definitionJson = canonicalJson(definition);
  return { pin: sha256Hex(definitionJson), definitionJson };
}

/**
 * A UUID (version 4 layout) made from text: the same text gives the same id. For ids that must come out the same when a
 * decision is taken again; unguessable as long as one part of the text is.
 */
export function uuidFrom(...parts: readonly string[]): string {
  const bytes = hash('sha256', canonicalJson([...parts]), 'buffer');
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
