import type { Dialect } from '../dialect.ts';
import type { TaskPushNotificationConfig } from '../protocol.ts';

/** Who is to be told of a task, and how. */
export type AskedPush = {
  /** Empty: the agent names it. */
  readonly configId: string;
  readonly url: string;
  readonly token: string;
  readonly scheme: string;
  readonly credentials: string;
  /** He is spoken to in the version in which he asks for it. */
  readonly protocolVersion: '1.0' | '0.3';
};

/** Reads a push config. */
export function readPush(config: TaskPushNotificationConfig, dialect: Dialect): AskedPush {
  const { id: configId, url, token, authentication } = config;
  const { scheme = '', credentials = '' } = authentication ?? {};
  return { configId, url, token, scheme, credentials, protocolVersion: dialect === '1.0' ? '1.0' : '0.3' };
}
