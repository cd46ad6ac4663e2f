// Push configs over HTTP+JSON and what JSON-RPC does not check: 1.0 has one flat object, 0.3 an object with a name around it.
import { isObject } from './dialect.ts';
import { RequestMalformedError, TaskPushNotificationConfig } from './protocol.ts';
import type { RestVersion } from './rest.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Reads the body that makes a push config for a task. @throws A2AError for what is none. */
export function readRestPush(version: RestVersion, taskId: string, body: unknown): TaskPushNotificationConfig {
  if (!isObject(body)) throw new RequestMalformedError('the body must be a JSON object');
  const read = version === '1.0' ? body : oldPush(body);
  if (!isSound(read)) throw new RequestMalformedError('the push config must be a JSON object with a url');
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

/** True for params of a push method of JSON-RPC that nobody could read. */
export function isMalformedPush(method: string, params: unknown): boolean {
  if (!/pushNotificationConfig/i.test(method)) return false;
  if (!isObject(params)) return true;
  if (method === 'tasks/pushNotificationConfig/set') return !isSound(params.pushNotificationConfig);
  return method === 'CreateTaskPushNotificationConfig' && !isSound(params);
}

/** The texts of a config are texts, so that nothing else is taken for an address or shown to one. */
const isSound = (config: unknown): boolean =>
  isObject(config) &&
  [config.url, config.id ?? '', config.token ?? ''].every((value) => typeof value === 'string') &&
  (config.authentication === undefined || config.authentication === null || isObject(config.authentication));
