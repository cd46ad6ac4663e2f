import type { ServerResponse } from 'node:http';
import type { Provider } from './provider.ts';
import { answerByRules } from './rules.ts';
import type { Script, ScriptStep } from './script.ts';
import type { Turn } from './turn.ts';

/** A request that was understood, and what is needed to answer it. */
export type Exchange = {
  readonly provider: Provider;
  readonly turn: Turn;
  readonly streamed: boolean;
  readonly response: ServerResponse;
  /** The whole request as text. */
  readonly quote: () => string;
  readonly script?: Script;
};

/** Answers by the next fitting step of the script, else by the rules. Returns early if the client leaves. */
export async function respond(exchange: Exchange): Promise<void> {
  const { provider, turn, streamed, response, script } = exchange;
  const step = script?.take(turn) ?? {};
  const left = new Promise<void>((resolve) => response.once('close', resolve));
  if (step.delayMs !== undefined) await Promise.race([delay(step.delayMs), left]);
  if (step.hang && script) await Promise.race([script.released(), left]);
  if (response.destroyed) return;
  if (fail(exchange, step)) return;
  const answer = step.answer ?? answerByRules(turn);
  if (!streamed) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(provider.plain(turn, answer)));
    return;
  }
  const { events, contentType } = provider.events(turn, answer);
  response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-cache' });
  const half = Math.floor(events.length / 2);
  for (const event of events.slice(0, half)) response.write(event);
  if (step.stallStream && script) await Promise.race([script.released(), left]);
  if (!step.truncateStream) for (const event of events.slice(half)) response.write(event);
  response.end();
}

/** Does what the step's faults say instead of an answer; false if it has none. */
function fail({ provider, response, quote }: Exchange, step: ScriptStep): boolean {
  if (step.reset) {
    response.socket?.resetAndDestroy();
    return true;
  }
  if (step.garbage) {
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<html>this is no model\n\ndata: {not json\n\n</html>');
    return true;
  }
  if (!step.error && !step.quoteRequest) return false;
  const { status, message } = step.error ?? { status: 400, message: 'invalid request:' };
  const { retryAfterSeconds } = step.error ?? {};
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  });
  response.end(JSON.stringify(provider.error(status, step.quoteRequest ? `${message} ${quote()}` : message)));
  return true;
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
