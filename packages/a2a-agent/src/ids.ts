import { isObject } from './dialect.ts';

/**
 * Members that name something, as JSON writes them and as protocol buffers do. The SDK makes a text of whatever stands
 * there, so that a list of one id would be that id.
 */
const naming = [
  'id',
  'taskId',
  'task_id',
  'contextId',
  'context_id',
  'messageId',
  'message_id',
  'pushNotificationConfigId',
  'tenant',
  'pageToken',
  'page_token',
];

type Members = Readonly<Record<string, unknown>>;

/** What names something and is no text, in one line; undefined if nothing is. Null says that it is left out. */
export function problemOfIds(members: Members, where: string): string | undefined {
  const odd = naming.find((name) => !isAbsentOr('string', members[name]));
  return odd === undefined ? undefined : mustBeText(`${where}.${odd}`);
}

/** The same of a message. */
export function problemOfMessageIds(message: Members, where: string): string | undefined {
  const references = message.referenceTaskIds ?? message.reference_task_ids ?? [];
  if (!Array.isArray(references)) return `${where}.referenceTaskIds must be a list`;
  const odd = references.findIndex((id) => typeof id !== 'string');
  return problemOfIds(message, where) ?? (odd < 0 ? undefined : mustBeText(`${where}.referenceTaskIds[${odd}]`));
}

/** What is wrong with params that have to name something: undefined if each of these names does. */
export function problemOfNamed(params: unknown, names: readonly string[]): string | undefined {
  if (!isObject(params)) return 'params must be an object';
  const odd = names.find((name) => typeof (params[name] ?? params[snake(name)]) !== 'string');
  return odd === undefined ? undefined : mustBeText(`params.${odd}`);
}

/** True for what is not there, or of this type. */
export const isAbsentOr = (type: 'string' | 'number', value: unknown): boolean =>
  value === undefined || value === null || typeof value === type;

/** The problem of what has to be a text. */
export const mustBeText = (where: string): string => `${where} must be a text`;

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
