import { ProtocolError, SdkHttpError } from '@modelcontextprotocol/client';
import { sessionEnded } from '../failures.ts';
import type { Session } from '../session/session.ts';
import type { Happening } from './server-state.ts';

const unauthorized = 401;
const forbidden = 403;
const tooManyRequests = 429;

/**
 * Asks a server for a sign of life, by what its protocol has for that and never by a second handshake. An error of its own
 * is one, and so is an HTTP answer that only shows that it wants something else.
 */
export async function askForLife(session: Session, timeoutMs: number): Promise<Happening> {
  try {
    await session.ping(timeoutMs);
    return { type: 'answered' };
  } catch (error) {
    if (error instanceof ProtocolError) return { type: 'answered' };
    if (error instanceof SdkHttpError && error.status !== undefined) {
      if (session.isGone(error)) return { type: 'forgot', reason: sessionEnded };
      if ([unauthorized, forbidden, tooManyRequests].includes(error.status)) return { type: 'answered' };
      return { type: 'silent', reason: `it answers HTTP ${error.status}` };
    }
    return { type: 'silent', reason: `it does not answer within ${timeoutMs} ms` };
  }
}
