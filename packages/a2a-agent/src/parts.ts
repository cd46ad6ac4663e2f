import type { Json } from '@stopgo/core';
import { type Message, type Part, Role } from './protocol.ts';

/** A part that is text. */
export const textPart = (text: string): Part => ({
  content: { $case: 'text', value: text },
  metadata: undefined,
  filename: '',
  mediaType: 'text/plain',
});

/** A part that is data. */
export const dataPart = (data: Json): Part => ({
  content: { $case: 'data', value: data },
  metadata: undefined,
  filename: '',
  mediaType: 'application/json',
});

/** What a message of the agent is made of. */
export type AgentMessage = {
  readonly id: string;
  readonly taskId: string;
  readonly contextId: string;
  readonly parts: Part[];
};

/** A message of the agent. */
export const agentMessage = ({ id, taskId, contextId, parts }: AgentMessage): Message => ({
  messageId: id,
  taskId,
  contextId,
  role: Role.ROLE_AGENT,
  parts,
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});

/** The text of all text parts, one after the other. */
export const textOf = (parts: readonly Part[]): string =>
  parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])).join('\n');
