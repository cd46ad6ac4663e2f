// Push configs over HTTP+JSON and what JSON-RPC does not check: 1.0 has one flat object, 0.3 an object with a name around it.

import type { RestVersion } from './dialect.ts';
import { isObject } from './dialect.ts';
import { isAbsentOr, mustBeText } from './ids.ts';
import { RequestMalformedError, TaskPushNotificationConfig } from './protocol.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Reads the body that makes a push config for a task. @throws A2AError for what is none. */
export function readRestPush(version: RestVersion, taskId: string, body: unknown): TaskPushNotificationConfig {
  if (!isObject(body)) throw new RequestMalformedError('the body must be a JSON object');
  const read = version === '1.0' ? body : oldPush(body);
  const problem = problemOfPush(read, 'the push config');
  if (problem !== undefined) throw new RequestMalformedError(problem);
  return TaskPushNotificationConfig.fromJSON({ ...read, taskId });
}

/** The push config in an object of 0.3, as 1.0 writes it: there may be one or two objects around it. */
function oldPush(around: JsonObject): JsonObject | undefined {
  const inner = isObject(around.config) ? around.config : around;
  return oldPushConfig(inner.pushNotificationConfig ?? inner.push_notification_config);
}

/** A push config of 0.3 as 1.0 writes it: it has one authentication scheme, of the several that there may be the first. */
export function oldPushConfig(config: unknown): JsonObject | undefined {
  if (!isObject(config)) return undefined;
  const { authentication, ...rest } = config;
  if (!isObject(authentication)) return rest;
  const { schemes, credentials } = authentication;
  const [scheme] = Array.isArray(schemes) ? schemes : [];
  return { ...rest, authentication: { scheme: scheme ?? '', credentials: credentials ?? '' } };
}

/** A push config, without what is secret in it. */
export function writeRestPush(version: RestVersion, config: TaskPushNotificationConfig): object {
  if (version === '1.0') return TaskPushNotificationConfig.toJSON(config) as object;
  const { id, url, taskId, authentication } = config;
  return {
    name: `tasks/${taskId}/pushNotificationConfigs/${id}`,
    pushNotificationConfig: {
      id,
      url,
      ...(authentication === undefined ? {} : { authentication: { schemes: [authentication.scheme] } }),
    },
  };
}

/** All push configs of a task. The JSON of 0.3 leaves out a list that is empty. */
export const writeRestPushList = (version: RestVersion, configs: readonly TaskPushNotificationConfig[]): object =>
  version === '0.3' && configs.length === 0 ? {} : { configs: configs.map((config) => writeRestPush(version, config)) };

/** What is wrong with the config in the params of a method of JSON-RPC, in one line; undefined if nothing is, or there is none. */
export function problemOfPushParams(method: string, params: unknown): string | undefined {
  const isSetting = method === 'tasks/pushNotificationConfig/set';
  if (!isSetting && method !== 'CreateTaskPushNotificationConfig') return undefined;
  if (!isObject(params)) return 'params must be an object';
  return isSetting
    ? problemOfPush(params.pushNotificationConfig, 'params.pushNotificationConfig')
    : problemOfPush(params, 'params');
}

/** What is wrong with a config. Its texts are texts, so that nothing else is taken for an address or shown to one. */
export function problemOfPush(config: unknown, where: string): string | undefined {
  if (!isObject(config) || typeof config.url !== 'string') return `${where} must be a JSON object with a url`;
  const odd = ['id', 'token'].find((name) => !isAbsentOr('string', config[name]));
  if (odd !== undefined) return mustBeText(`${where}.${odd}`);
  const { authentication } = config;
  const isSound = authentication === undefined || authentication === null || isObject(authentication);
  return isSound ? undefined : `${where}.authentication must be a JSON object`;
}
