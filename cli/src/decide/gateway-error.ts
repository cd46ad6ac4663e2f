import { ApiError, certificateProblem, maybeSent, NotReached, reasonOf, StrangeAnswer } from '@stopgo/client';
import { parseJson, visibleLine } from '@stopgo/core';
import { inPassing } from '../shown.ts';

/**
 * What became of a request that failed. `not sent`: nobody was there to take it. `refused`: the answer says that nothing was taken. `unknown`:
 * it may have been taken; the answer was lost, is none of a platform, or says to ask again.
 */
export type Outcome = 'not sent' | 'refused' | 'unknown';

/** What went wrong with a request, what became of it, and whether the same request may do better a little later. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly outcome: Outcome;
  readonly mayPass: boolean;

  constructor(message: string, outcome: Outcome, mayPass = outcome !== 'refused') {
    super(message);
    this.outcome = outcome;
    this.mayPass = mayPass;
  }
}

/** The same of what the client threw; anything else stays as it is. `wanted`: what should have come. */
export function gatewayErrorOf(url: string, error: unknown, signal?: AbortSignal, wanted = 'JSON'): unknown {
  if (error instanceof ApiError) return refusalOf(error);
  if (!(error instanceof NotReached)) return signal?.aborted ? unanswered(url, error) : error;
  const { cause } = error;
  if (cause instanceof ApiError) return refusalOf(cause);
  if (!(cause instanceof StrangeAnswer)) return unanswered(url, cause);
  const { status, statusText, mediaType, text } = cause;
  if (status >= 300) return refusalOf({ status, message: `${status} ${statusText}`, body: {} });
  const what = wanted === 'JSON' && parseJson(text) !== undefined ? 'JSON that is no object' : undefined;
  return notPlatform(
    url,
    what ?? `${mediaType || 'a text of no type'} instead of ${wanted}`,
    wanted === 'JSON' ? text : '',
  );
}

/** What became of a request that got no answer. */
function unanswered(url: string, error: unknown): GatewayError {
  const code = certificateProblem(error);
  // The reason may hold names that stand in the certificate.
  const reason = visibleLine(reasonOf(error));
  if (code === undefined) {
    const problem = `no answer from ${url}: ${reason}; is the platform running there? (--url or --port)`;
    return new GatewayError(problem, maybeSent(error) ? 'unknown' : 'not sent');
  }
  const remedy = 'renew it there, or name a file with the CA that signed it in NODE_EXTRA_CA_CERTS';
  return new GatewayError(
    `the certificate of ${url} is not accepted: ${reason} (${code}); ${remedy}`,
    'not sent',
    false,
  );
}

/** What an answer that is none says, with the gateway's own words if it has some. */
export function refusalOf({ status, message, body }: Pick<ApiError, 'status' | 'message' | 'body'>): GatewayError {
  const said = visibleLine(message);
  // The words of the gateway are about headers, which nobody types here.
  const words = status === 401 ? `${said}; commands send the API key in STOPGO_API_KEY: set it to one of yours` : said;
  const mayPass = status === 429 || status >= 500;
  return new GatewayError(words, mayPass && body.recorded !== 'nothing' ? 'unknown' : 'refused', mayPass);
}

/** Something else answered, as if all was well: a proxy, or another program. `what` it answered with, and how its text begins. */
export function notPlatform(url: string, what: string, text: string): GatewayError {
  const begins = text.trim() === '' ? '' : `: ${inPassing(text)}`;
  return new GatewayError(
    `${url} answered with ${visibleLine(what)}${begins}; is that the platform? (--url or --port)`,
    'unknown',
    false,
  );
}
