import { type Client, type CreateMessageRequest, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { parseJson, type SamplingAsked, samplingProblem, samplingTokensMax } from '@stopgo/core';
import type { McpServerConfig } from '@stopgo/runtime';
import type { AskingCalls } from './asking-calls.ts';
import type { ServerAnswers } from './server-answers.ts';

/** The protocol's code for a request that the client does not grant. */
const notGranted = -1;

/** Has a server that may have the agent's model asked; undefined: it may not, and it is not told otherwise. */
export function modelAnswers({ sampling }: McpServerConfig, calls: AskingCalls): ServerAnswers | undefined {
  if (sampling === undefined) return undefined;
  return {
    capabilities: { sampling: {} },
    register: (client: Client) => {
      client.setRequestHandler('sampling/createMessage', async (request, context) => {
        const asked = samplingOf(request);
        const ask = calls.current();
        // Nobody could tell whose model is to be asked.
        if (ask === undefined) throw new ProtocolError(notGranted, 'nobody can tell which call this sampling is for');
        const question = { message: '', schemaJson: '', url: '', sampling: asked };
        const { action, contentJson } = await ask(question, context.mcpReq.signal);
        if (action !== 'accept') throw new ProtocolError(notGranted, noAnswer);
        // Made in this form by whoever asked the model.
        return parseJson(contentJson) as { role: 'assistant'; content: { type: 'text'; text: string }; model: string };
      });
    },
  };
}

const noAnswer =
  'there is no answer of a model: it failed, it took too long, or the server asked for more than one call may';

/** @throws ProtocolError that tells the server what no model is asked here. */
function samplingOf({ params }: CreateMessageRequest): SamplingAsked {
  const { messages, systemPrompt = '', maxTokens, stopSequences = [], includeContext = 'none' } = params;
  if (params.tools !== undefined || params.toolChoice !== undefined) throw refused('no tools are offered to the model');
  if (includeContext !== 'none') throw refused(`includeContext "${includeContext}": nothing but the messages is told`);
  if ('task' in params && params.task !== undefined) throw refused('it is answered at once, not as a task');
  const asked = {
    systemPrompt,
    messages: messages.map(({ role, content }) => ({ byModel: role === 'assistant', text: textOf(content) })),
    maxTokens: Math.min(maxTokens, samplingTokensMax),
    stopSequences,
  };
  const problem = samplingProblem(asked);
  if (problem !== undefined) throw refused(problem);
  return asked;
}

function textOf(content: CreateMessageRequest['params']['messages'][number]['content']): string {
  const blocks = Array.isArray(content) ? content : [content];
  const texts = blocks.map((block) => {
    if (block.type !== 'text') throw refused(`content of type "${block.type}": a model is told texts only`);
    return block.text;
  });
  return texts.join('\n\n');
}

function refused(reason: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `this sampling is refused: ${reason}`);
}
