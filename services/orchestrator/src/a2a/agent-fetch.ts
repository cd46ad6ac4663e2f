import { parseJson } from '@stopgo/core';
import { connectionFailure, shownUrl } from '@stopgo/security';
import { type BoundedFetch, beginningOf, createBoundedFetch } from '../bounded-fetch.ts';
import { answerBytesMax, errorBytesMax } from './bounds.ts';
import { AgentFailed, NotTaken, TokenWanted } from './failures.ts';
import { failureOf, protocolErrorOf, quoted } from './protocol-error.ts';

const statusRequestTimeout = 408;

/**
 * A `fetch` for other agents: bounded, never redirected, a connection of its own for each request.
 *
 * @throws NotTaken if no connection was made; anything else that it throws leaves open what arrived.
 */
export function createBareFetch(): BoundedFetch {
  const bare = createBoundedFetch(answerBytesMax, false);
  return async (url, init) => {
    try {
      return await bare(url, init);
    } catch (error) {
      const failure = connectionFailure(error);
      if (failure?.wasNeverMade !== true || init?.signal?.aborted === true) throw error;
      throw new NotTaken(`no connection to ${shownUrl(String(url))} (${failure.code})`, true);
    }
  };
}

/**
 * The same for messages and questions: what it resolves with is an answer. An error status becomes what it means for the
 * message; of one that may come from something on the way to the agent, that is not known.
 *
 * @throws NotTaken, TokenWanted, NoSuchTask, AgentFailed; anything else leaves open what arrived.
 */
export function createAgentFetch(bare: BoundedFetch): BoundedFetch {
  return async (url, init) => {
    const response = await bare(url, init);
    if (response.ok) return response;
    const { status } = response;
    if (status < 400) {
      await response.body?.cancel().catch(() => undefined);
      throw new NotTaken(
        `${shownUrl(String(url))} answered with a redirect (HTTP ${status}), which is not followed: ` +
          'configure the address that it points to, if you trust it',
      );
    }
    if (status === 401) throw new TokenWanted(`HTTP ${status}`);
    const error = protocolErrorOf(parseJson(await beginningOf(response, errorBytesMax)));
    if (error?.code !== undefined) throw failureOf(error.code, error.message);
    const said = error === undefined ? `HTTP ${status}` : `HTTP ${status}: ${quoted(error.message)}`;
    if (status < 500 && status !== statusRequestTimeout) throw new NotTaken(`it refuses the message: ${said}`);
    if (error !== undefined) throw new AgentFailed(said);
    throw new Error(`the agent answered with ${said}`);
  };
}
