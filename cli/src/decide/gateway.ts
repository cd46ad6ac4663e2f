import { parseJson } from '@stopgo/core';
import { abortsWithin } from '@stopgo/runtime';
import { mediaTypeOf, notPlatform, refusalOf, unanswered } from './gateway-error.ts';

/** Longest wait for the gateway's answer, in milliseconds: a decision is answered when its run has settled. */
const answerMs = 150_000;

/** Where people have to sign in: with the API key of the environment. */
export const credentials = (): Record<string, string> => {
  const key = process.env.STOPGO_API_KEY?.trim() ?? '';
  return key === '' ? {} : { 'x-api-key': key };
};

/**
 * Asks the gateway; the parsed answer, which is an object. No longer than `signal` lets it.
 *
 * @throws GatewayError with the gateway's own error, that there is no answer, or what came instead of one.
 */
export async function askGateway(
  url: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
  method = body === undefined ? 'GET' : 'POST',
): Promise<object> {
  const request = {
    method,
    headers: { 'content-type': 'application/json', ...credentials(), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: abortsWithin(answerMs, ...(signal === undefined ? [] : [signal])),
  };
  let response: Response;
  let text: string;
  try {
    response = await fetch(new URL(path, url), request);
    text = await response.text();
  } catch (error) {
    throw unanswered(url, error);
  }
  const answer = parseJson(text);
  if (!response.ok) throw refusalOf(response, answer);
  if (answer === undefined) throw notPlatform(url, `${mediaTypeOf(response)} instead of JSON`, text);
  if (typeof answer !== 'object' || answer === null) throw notPlatform(url, 'JSON that is no object', text);
  return answer;
}
