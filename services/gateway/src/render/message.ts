import { saidByNode } from '@stopgo/core';
import type { facts, views } from '@stopgo/proto';
import type { Answer } from '../json-text.ts';
import { callArguments } from './arguments.ts';
import { rfc3339 } from './time.ts';

/** A message as clients see it: text (of a tree's node with its name before it), the request of a tool call, or its result. */
export function renderMessage(message: views.Message): Answer {
  return {
    id: message.id,
    role: message.role,
    content: saidByNode(message.node, message.content),
    node: message.node === '' ? undefined : message.node,
    tool_call: message.toolCall === undefined ? undefined : renderToolCall(message.toolCall),
    created_at: rfc3339(message.createdAt),
  };
}

function renderToolCall(call: views.ToolCallView): Answer {
  return {
    name: call.name,
    arguments: callArguments(call.argumentsJson),
    ...(call.hasResult ? { result: call.result, is_error: call.isError } : {}),
    blobs: call.blobs.length === 0 ? undefined : call.blobs.map(renderBlob),
    structured_content: call.structuredJson === '' ? undefined : callArguments(call.structuredJson),
    auto_approved: call.autoApproved || undefined,
  };
}

function renderBlob({ digest, mediaType, size, name }: facts.BlobRef): Answer {
  return { digest, media_type: mediaType, size: Number(size), name: name === '' ? undefined : name };
}
