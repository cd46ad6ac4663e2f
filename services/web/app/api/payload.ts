import type { ConversationEvent } from '@stopgo/client';

/** What an event says, read as far as it is what it should be: other versions may say more, or less. */
export type Payload = Readonly<Record<string, unknown>>;

export const text = (payload: Payload, name: string): string =>
  typeof payload[name] === 'string' ? payload[name] : '';
export const number = (payload: Payload, name: string): number =>
  typeof payload[name] === 'number' ? payload[name] : 0;
export const list = (value: unknown): readonly Payload[] => (Array.isArray(value) ? value : []);
export const object = (value: unknown): Payload =>
  typeof value === 'object' && value !== null ? (value as Payload) : {};

/** An event of a conversation. A newer release may have other types of them. */
export type LogEvent = Omit<ConversationEvent, 'type' | 'payload'> & {
  readonly type: string;
  readonly payload: Payload;
};

/** The same as the platform tells it: what a newer release wrote has no payload. */
export const readable = (event: ConversationEvent): LogEvent => ({ ...event, payload: event.payload ?? {} });
