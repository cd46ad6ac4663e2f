import { isLegacyJsonRpcMethod, isV1JsonRpcMethod } from '@a2a-js/sdk/compat/v0_3';

/**
 * How a peer speaks: version 1.0, version 0.3, or the dialect before both of `parts[].type`, `params.taskId`, one
 * `artifact` and a status message that is a text.
 */
export type Dialect = '1.0' | '0.3' | 'legacy';

/** The versions that HTTP+JSON is spoken in. */
export type RestVersion = Exclude<Dialect, 'legacy'>;

/** What a request shows of its dialect. */
export type Spoken = {
  /** The header `A2A-Version`, or the query parameter of that name; empty and undefined are the same. */
  readonly version: string | undefined;
  readonly method: unknown;
  readonly params: unknown;
};

/** True for a method that a version has. What every object has, like `constructor`, the SDK takes for one. */
export const isMethodOf = (version: '1.0' | '0.3', method: string): boolean =>
  version === '1.0'
    ? /^[A-Z]/.test(method) && isV1JsonRpcMethod(method)
    : /\//.test(method) && isLegacyJsonRpcMethod(method);

/**
 * The dialect of a request. The version decides; without one it is 0.3 by the protocol's rule, except for a method that
 * only 1.0 has and for a message in the legacy form. `unsaid`: 0.3 or legacy, which this request alone does not show.
 */
export function dialectOf({ version = '', method, params }: Spoken): Dialect | 'unsaid' | 'unsupported' {
  const asked = version.trim();
  if (asked !== '') return versionIn(asked) ?? 'unsupported';
  if (typeof method === 'string' && isMethodOf('1.0', method)) return '1.0';
  if (method === 'message/send') return isLegacyMessage(params) ? 'legacy' : '0.3';
  return method === 'tasks/get' ? 'unsaid' : '0.3';
}

/** The version that a header names, if it is spoken: major.minor; a patch number changes nothing on the wire. */
export function versionIn(version: string): '1.0' | '0.3' | undefined {
  const [, majorMinor] = /^(\d+\.\d+)(?:\.\d+)?$/.exec(version) ?? [];
  return majorMinor === '1.0' || majorMinor === '0.3' ? majorMinor : undefined;
}

function isLegacyMessage(params: unknown): boolean {
  if (!isObject(params)) return false;
  if ('taskId' in params) return true;
  const { message } = params;
  if (!isObject(message) || 'kind' in message || 'messageId' in message) return false;
  return !Array.isArray(message.parts) || !message.parts.some((part) => isObject(part) && 'kind' in part);
}

/** True for what has members. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
