import { sha256Hex } from '../text/digest.ts';
import { DomainError } from '../text/errors.ts';
import { canonicalJson } from '../text/json.ts';

/** Name of a stream of events. */
export type StreamName = string & { readonly __brand: 'StreamName' };

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const streamName = /^[a-z]+-[A-Za-z0-9._-]{1,180}$/;

/** True for a UUID in lower case, as all ids of the platform are. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}

/** Parses a stream name (`kind-key`); throws `invalid_argument` for anything else. */
export function parseStreamName(text: string): StreamName {
  if (!streamName.test(text))
    throw new DomainError('invalid_argument', `not a stream name: ${JSON.stringify(text.slice(0, 100))}`);
  return text as StreamName;
}

export const conversationStreamPrefix = 'conversation-';

/** The stream of a conversation. */
export function conversationStream(id: string): StreamName {
  return `${conversationStreamPrefix}${id}` as StreamName;
}
/** The id of the conversation whose stream it is; undefined for other streams. */
export function conversationOfStream(stream: string): string | undefined {
  return stream.startsWith(conversationStreamPrefix) ? stream.slice(conversationStreamPrefix.length) : undefined;
}
/** The stream that holds an agent's definition. */
export function agentStream(digest: string): StreamName {
  return `agent-${digest}` as StreamName;
}
/** The stream that holds a set of offered tools. */
export function toolsetStream(digest: string): StreamName {
  return `toolset-${digest}` as StreamName;
}
/** The stream that holds a policy. */
export function policyStream(digest: string): StreamName {
  return `policy-${digest}` as StreamName;
}
/** The stream that holds a tool's definition. */
export function toolStream(pin: string): StreamName {
  return `tool-${pin}` as StreamName;
}

export const pushStreamPrefix = 'push-';

/** The stream that holds who is told of a conversation, and how far. */
export function pushStream(conversationId: string): StreamName {
  return `${pushStreamPrefix}${conversationId}` as StreamName;
}
/** The id of the conversation whose push stream it is; undefined for other streams. */
export function conversationOfPush(stream: string): string | undefined {
  return stream.startsWith(pushStreamPrefix) ? stream.slice(pushStreamPrefix.length) : undefined;
}

export const userStreamPrefix = 'user-';

/** The stream of a user. */
export function userStream(id: string): StreamName {
  return `${userStreamPrefix}${id}` as StreamName;
}
/** The id of the user whose stream it is; undefined for other streams. */
export function userOfStream(stream: string): string | undefined {
  return stream.startsWith(userStreamPrefix) ? stream.slice(userStreamPrefix.length) : undefined;
}

export const apiKeyStreamPrefix = 'apikey-';

/** The stream of an API key. */
export function apiKeyStream(id: string): StreamName {
  return `${apiKeyStreamPrefix}${id}` as StreamName;
}
/** The id of the API key whose stream it is; undefined for other streams. */
export function apiKeyOfStream(stream: string): string | undefined {
  return stream.startsWith(apiKeyStreamPrefix) ? stream.slice(apiKeyStreamPrefix.length) : undefined;
}

/** The stream of a link that decides, by the SHA-256 of its text in hex. */
export function linkStream(digest: string): StreamName {
  return `link-${digest}` as StreamName;
}

const repositoryStreamPrefix = 'repository-';

/** The stream of which repositories people have kept, beside those of the configuration. */
export const repositoryListStream = `${repositoryStreamPrefix}list` as StreamName;

/** The stream of a repository of agents. One name is one stream, so that the log lets no two have the same. */
export function repositoryStream(name: string): StreamName {
  return `${repositoryStreamPrefix}${sha256Hex(canonicalJson({ v: 1, tenant: '', name }))}` as StreamName;
}

export const connectionStreamPrefix = 'connection-';

/** The stream of a user's account at a tool server. `user`: key of the principal. */
export function connectionStream(user: string, server: string): StreamName {
  return `${connectionStreamPrefix}${sha256Hex(canonicalJson({ v: 1, tenant: '', user, server }))}` as StreamName;
}

export const memoryStreamPrefix = 'memory-';

/** The stream of what an agent remembers, by its name. */
export function memoryStream(agent: string): StreamName {
  return `${memoryStreamPrefix}${sha256Hex(canonicalJson({ v: 1, tenant: '', agent }))}` as StreamName;
}
