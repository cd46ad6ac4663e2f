import { isObject } from './dialect.ts';

/**
 * What is wrong with the params of a method of 0.3, in one line; undefined if nothing is. The SDK takes them as they come:
 * what is no text there would be taken for one later.
 */
export function problemOf03(method: string, params: unknown): string | undefined {
  if (method.startsWith('message/')) return isObject(params) ? problemOfSending(params) : 'params must be an object';
  if (!method.startsWith('tasks/')) return undefined;
  if (!isObject(params)) return 'params must be an object';
  const id = method === 'tasks/pushNotificationConfig/set' ? 'taskId' : 'id';
  return typeof params[id] === 'string' ? undefined : `params.${id} must be a text`;
}

type Members = Readonly<Record<string, unknown>>;

function problemOfSending({ message, configuration, metadata }: Members): string | undefined {
  if (!isObject(message)) return 'params.message must be an object';
  const { parts } = message;
  if (!Array.isArray(parts)) return 'message.parts must be a list';
  const notText = ['messageId', 'taskId', 'contextId', 'role'].find((name) => !isAbsentOr('string', message[name]));
  if (notText !== undefined) return `message.${notText} must be a text`;
  if (![message.metadata, configuration, metadata].every((one) => one === undefined || one === null || isObject(one)))
    return 'metadata and configuration must be objects';
  const { historyLength } = isObject(configuration) ? configuration : { historyLength: undefined };
  if (!isAbsentOr('number', historyLength)) return 'configuration.historyLength must be a number';
  const odd = parts.findIndex((part) => !isPart(part));
  return odd < 0 ? undefined : `message.parts[${odd}] is no part of kind text, data or file`;
}

function isPart(part: unknown): boolean {
  if (!isObject(part) || !Object.hasOwn(part, 'kind')) return false;
  switch (part.kind) {
    case 'text':
      return Object.hasOwn(part, 'text') && typeof part.text === 'string';
    case 'data':
      return Object.hasOwn(part, 'data');
    default:
      return part.kind === 'file' && isObject(part.file);
  }
}

const isAbsentOr = (type: 'string' | 'number', value: unknown): boolean =>
  value === undefined || value === null || typeof value === type;
