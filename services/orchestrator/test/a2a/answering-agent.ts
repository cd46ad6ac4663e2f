import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { cardOf, isCard, type ScriptedAgent, type ScriptedRequest, scriptedAgent, sendJson } from './scripted-agent.ts';

/** An agent whose card is in order, until the test ends; what it answers to anything else is scripted. */
export async function answeringAgent(
  answer: (request: ScriptedRequest, response: ServerResponse) => void,
  card: Record<string, unknown> = {},
  version = '1.0',
): Promise<ScriptedAgent & { readonly url: string }> {
  const agent = await scriptedAgent((request, response) => {
    if (isCard(request)) return sendJson(response, cardOf(`http://${request.headers.host}/a2a`, card, version));
    answer(request, response);
  });
  onTestFinished(() => agent.close());
  return { ...agent, url: `${agent.origin}/a2a` };
}
