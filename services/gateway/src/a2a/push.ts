import {
  type AskedPush,
  RequestMalformedError,
  type TaskName,
  TaskNotFoundError,
  type TaskPushNotificationConfig,
} from '@stopgo/a2a-agent';
import { visibleText } from '@stopgo/core';
import type { views } from '@stopgo/proto';
import { echoCharactersMax } from '../bounds.ts';
import { permit, type RouteDependencies } from '../routes/route.ts';
import { type A2ACall, userOf } from './call.ts';
import { viewOf } from './task-view.ts';

/** The name by which clients of 0.3 ask for the only config of a task. */
const onlyId = 'default';

/** Has an address told of a task. The answer shows no token and no credentials: nobody is ever shown them again. */
export async function createPushConfig(
  deps: RouteDependencies,
  call: A2ACall,
  task: TaskName,
  push: AskedPush,
): Promise<TaskPushNotificationConfig> {
  const { head } = await viewOf(deps, call, task);
  await permit(deps, call.frame, 'push.set', { kind: 'conversation', id: head.id });
  return shown(head.id, await set(deps, call, head.id, push));
}

/**
 * What has an address told of a conversation that is there: to be called when the message that came with it is sure to be
 * taken, before it is handed on. Whether it may be told is asked at once.
 */
export async function permittedPush(
  deps: RouteDependencies,
  call: A2ACall,
  conversationId: string,
  push: AskedPush | undefined,
): Promise<() => Promise<void>> {
  if (push === undefined) return async () => {};
  await permit(deps, call.frame, 'push.set', { kind: 'conversation', id: conversationId });
  return async () => {
    await set(deps, call, conversationId, push);
  };
}

async function set(
  { clients }: RouteDependencies,
  call: A2ACall,
  conversationId: string,
  settings: AskedPush,
): Promise<views.PushConfig | undefined> {
  const { config: made } = await clients.orchestrator.setPush(
    { conversationId, settings, caller: { actor: userOf(call) } },
    { context: call.frame.context },
  );
  return made;
}

/** One config of a task. @throws A2AError if there is none of that id, or none is named and there are several. */
export async function getPushConfig(
  deps: RouteDependencies,
  call: A2ACall,
  task: TaskName,
  id: string,
): Promise<TaskPushNotificationConfig> {
  const { conversationId, configs } = await configsOf(deps, call, task);
  const [only, ...others] = configs;
  const isUnnamed = id === '' || id === onlyId;
  const found = configs.find((config) => config.id === id) ?? (isUnnamed && others.length === 0 ? only : undefined);
  if (found !== undefined) return shown(conversationId, found);
  if (id === '' && configs.length > 0)
    throw new RequestMalformedError('the task has several push configs; name one by its id');
  const echo = visibleText(id.slice(0, echoCharactersMax));
  throw new TaskNotFoundError(`Push notification config not found: ${echo}`);
}

/** All configs of a task: there are few enough for one page. */
export async function listPushConfigs(
  deps: RouteDependencies,
  call: A2ACall,
  task: TaskName,
): Promise<TaskPushNotificationConfig[]> {
  const { conversationId, configs } = await configsOf(deps, call, task);
  return configs.map((config) => shown(conversationId, config));
}

/** Ends a config. That it is not there is no error, so that who was not answered may ask again. */
export async function deletePushConfig(
  deps: RouteDependencies,
  call: A2ACall,
  task: TaskName,
  configId: string,
): Promise<void> {
  const { head } = await viewOf(deps, call, task);
  await permit(deps, call.frame, 'push.set', { kind: 'conversation', id: head.id });
  await deps.clients.orchestrator.removePush(
    { conversationId: head.id, configId, caller: { actor: userOf(call) } },
    { context: call.frame.context },
  );
}

async function configsOf(deps: RouteDependencies, call: A2ACall, task: TaskName) {
  const { head } = await viewOf(deps, call, task);
  await permit(deps, call.frame, 'push.read', { kind: 'conversation', id: head.id });
  const { push } = await deps.clients.store.getPush({ conversationId: head.id }, { context: call.frame.context });
  return { conversationId: head.id, configs: (push?.configs ?? []).filter(({ webhook }) => webhook === '') };
}

const shown = (taskId: string, config: views.PushConfig | undefined): TaskPushNotificationConfig => ({
  tenant: '',
  taskId,
  id: config?.id ?? '',
  url: config?.url ?? '',
  token: '',
  authentication: config === undefined || config.scheme === '' ? undefined : { scheme: config.scheme, credentials: '' },
});
