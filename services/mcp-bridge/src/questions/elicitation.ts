import {
  type Client,
  type ElicitRequest,
  type ElicitResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/client';
import { parseJson, questionProblem } from '@stopgo/core';
import type { McpQuestions, McpServerConfig } from '@stopgo/runtime';
import { hiddenText } from '../hidden-text.ts';
import type { AskingCalls } from './asking-calls.ts';
import type { AskedQuestion } from './open-questions.ts';
import type { ServerAnswers } from './server-answers.ts';

/** What a server may ask people by its configuration; undefined: nothing, and it is not told otherwise. */
export function peopleAnswer({ questions }: McpServerConfig, calls: AskingCalls): ServerAnswers | undefined {
  if (questions === undefined) return undefined;
  return {
    capabilities: { elicitation: modesOf(questions) },
    register: (client: Client) => {
      client.setRequestHandler('elicitation/create', async (request, context) => {
        const ask = calls.current();
        // Nobody could be told what for.
        if (ask === undefined) return { action: 'cancel' };
        return resultOf(await ask(questionOf(request), context.mcpReq.signal));
      });
    },
  };
}

function modesOf({ form, url }: McpQuestions) {
  return { ...(form ? { form: {} } : {}), ...(url ? { url: {} } : {}) };
}

/**
 * The message is as it came, and whole: it is cut and shown in signs that can be seen when no token is left in it.
 *
 * @throws ProtocolError that tells the server what cannot be asked.
 */
function questionOf({ params }: ElicitRequest): AskedQuestion {
  const { message } = params;
  const asked =
    params.mode === 'url'
      ? { message, schemaJson: '', url: params.url }
      : { message, schemaJson: JSON.stringify(params.requestedSchema), url: '' };
  // How long it is first: what is searched for characters is bounded.
  const problem = questionProblem({ ...asked, message: '' }) ?? hiddenProblem(asked);
  if (problem !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, problem);
  return asked;
}

function hiddenProblem({ schemaJson, url }: AskedQuestion): string | undefined {
  const hidden = hiddenText([parseJson(schemaJson || 'null') ?? null, url]);
  return hidden === undefined ? undefined : `it holds a character that nobody sees (${hidden})`;
}

function resultOf({ action, contentJson }: { readonly action: ElicitResult['action']; readonly contentJson: string }) {
  if (action !== 'accept' || contentJson === '') return { action };
  // Checked against the schema when the answer was taken.
  return { action, content: parseJson(contentJson) as NonNullable<ElicitResult['content']> };
}
