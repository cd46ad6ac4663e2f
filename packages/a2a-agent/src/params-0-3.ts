import { isObject } from './dialect.ts';
import { problemOfFiles } from './file-parts.ts';
import { isAbsentOr, mustBeText, problemOfIds, problemOfMessageIds, problemOfNamed } from './ids.ts';
import { problemOfConfiguration } from './params-1-0.ts';

/**
 * What is wrong with the params of a method of 0.3, in one line; undefined if nothing is. The SDK takes them as they come:
 * what is no text there would be taken for one later.
 */
export function problemOf03(method: string, params: unknown): string | undefined {
  if (method.startsWith('message/')) return isObject(params) ? problemOfSending(params) : 'params must be an object';
  const named = method.startsWith('tasks/') ? problemOfNamed(params, namedMembers[method] ?? ['id']) : undefined;
  return named ?? (isObject(params) ? problemOfIds(params, 'params') : undefined);
}

/** What the params of a method have to name, if that is not the task's id alone. */
const namedMembers: Readonly<Record<string, readonly string[]>> = {
  'tasks/pushNotificationConfig/set': ['taskId'],
  'tasks/pushNotificationConfig/delete': ['id', 'pushNotificationConfigId'],
};

type Members = Readonly<Record<string, unknown>>;

function problemOfSending({ message, configuration, metadata }: Members): string | undefined {
  if (!isObject(message)) return 'params.message must be an object';
  const { parts } = message;
  if (!Array.isArray(parts)) return 'message.parts must be a list';
  const misnamed = problemOfMessageIds(message, 'message') ?? problemOfConfiguration(configuration);
  if (misnamed !== undefined) return misnamed;
  if (!isAbsentOr('string', message.role)) return mustBeText('message.role');
  if (![message.metadata, configuration, metadata].every((one) => one === undefined || one === null || isObject(one)))
    return 'metadata and configuration must be objects';
  const { historyLength } = isObject(configuration) ? configuration : { historyLength: undefined };
  if (!isAbsentOr('number', historyLength)) return 'configuration.historyLength must be a number';
  const odd = parts.findIndex((part) => !isPart(part));
  return odd < 0 ? problemOfFiles(parts) : `message.parts[${odd}] is no part of kind text, data or file`;
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
