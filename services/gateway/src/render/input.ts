import { inputMode, parseJson, visibleText, visibleUrl } from '@stopgo/core';
import { facts, type views } from '@stopgo/proto';
import type { Answer } from '../json-text.ts';
import { presentLine, shownLine } from './shown.ts';
import { rfc3339 } from './time.ts';

const inputTypes: Readonly<Partial<Record<facts.InputType, string>>> = {
  [facts.InputType.TEXT]: 'text',
  [facts.InputType.CHOICE]: 'choice',
  [facts.InputType.APPROVAL]: 'approval',
  [facts.InputType.STRUCTURED_DATA]: 'structured_data',
  [facts.InputType.FILE]: 'file',
};

/** What a tool server asks a person in the midst of a call, or what an agent asks. */
export function renderInput(input: views.PendingInput, conversationId: string): Answer {
  const { id, callId, server, agent, tool, node, message, schemaJson, url } = input;
  return {
    id,
    conversation_id: conversationId,
    mode: inputMode(input),
    server: presentLine(server),
    agent: presentLine(agent),
    input_type: inputTypes[input.type],
    required: agent === '' ? undefined : !input.optional,
    tool: shownLine(tool),
    node: presentLine(node),
    call_id: callId,
    message: visibleText(message),
    requested_schema: schemaJson === '' ? undefined : (parseJson(schemaJson) ?? null),
    url: url === '' ? undefined : visibleUrl(url),
    choices: ['accept', 'decline', 'cancel'],
    requested_at: rfc3339(input.requestedAt),
    expires_at: rfc3339(input.expiresAt),
  };
}
