import { isObject } from './dialect.ts';
import { problemOfFiles } from './file-parts.ts';
import { problemOfIds, problemOfMessageIds, problemOfNamed } from './ids.ts';
import { problemOfPush } from './push.ts';

/** What the params of each method have to name. */
const namedMembers: Readonly<Record<string, readonly string[]>> = {
  GetTask: ['id'],
  CancelTask: ['id'],
  SubscribeToTask: ['id'],
  CreateTaskPushNotificationConfig: ['taskId'],
  GetTaskPushNotificationConfig: ['taskId', 'id'],
  ListTaskPushNotificationConfigs: ['taskId'],
  DeleteTaskPushNotificationConfig: ['taskId', 'id'],
};

/**
 * What is wrong with the params of a method of 1.0, in one line; undefined if nothing is, or if the SDK says it. It takes
 * whatever names something for a text.
 */
export function problemOf10(method: string, params: unknown): string | undefined {
  const named = namedMembers[method];
  if (!isObject(params)) return named === undefined ? undefined : 'params must be an object';
  const { message, configuration } = params;
  return (
    problemOfIds(params, 'params') ??
    (named === undefined ? undefined : problemOfNamed(params, named)) ??
    (isObject(message) ? (problemOfMessageIds(message, 'message') ?? problemOfFiles(message.parts)) : undefined) ??
    problemOfConfiguration(configuration)
  );
}

/** What is wrong with the push config beside a message. */
export function problemOfConfiguration(configuration: unknown): string | undefined {
  if (!isObject(configuration)) return undefined;
  const push =
    configuration.taskPushNotificationConfig ??
    configuration.task_push_notification_config ??
    configuration.pushNotificationConfig;
  return push === undefined || push === null ? undefined : problemOfPush(push, 'the push config');
}
