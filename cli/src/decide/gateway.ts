import { visibleLine } from '@stopgo/core';

/** Longest wait for the gateway's answer, in milliseconds: a decision is answered when its run has settled. */
const answerMs = 150_000;

/** Asks the gateway; the parsed answer. Rejects with the gateway's own error, or that it cannot be reached. */
export async function askGateway(
  url: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const request = {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(answerMs),
  };
  let response: Response;
  try {
    response = await fetch(new URL(path, url), request);
  } catch (error) {
    throw new Error(`no answer from ${url}: ${reasonOf(error)}; is the platform running there? (--url)`);
  }
  const text = await response.text();
  const answer = parsed(text);
  if (!response.ok) {
    const problem = (answer as { error?: unknown } | undefined)?.error;
    throw new Error(visibleLine(typeof problem === 'string' ? problem : `${response.status} ${response.statusText}`));
  }
  return answer;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && cause.message !== '') return cause.message;
  return error instanceof Error ? error.message : String(error);
}
