import { ProtocolError, SdkHttpError } from '@modelcontextprotocol/client';
import type { McpServerConfig } from '@stopgo/runtime';
import type { BridgeBounds } from '../bounds.ts';
import { sessionEnded } from '../failures.ts';
import type { Session } from '../session/session.ts';
import type { Happening } from './server-state.ts';

/** What probing one server needs. */
export type LifeProbeDependencies = {
  readonly bounds: Pick<BridgeBounds, 'probeEveryMs' | 'pingMs'>;
  /** Is told what a question for a sign of life showed. */
  readonly happened: (session: Session, happening: Happening) => void;
};

/** Finds out whether a server that is connected still answers: now and then, and when a call has raised doubt. */
export class LifeProbe {
  readonly #config: McpServerConfig;
  readonly #dependencies: LifeProbeDependencies;
  #session: Session | undefined;
  #timer: NodeJS.Timeout | undefined;
  #check: Promise<void> | undefined;

  constructor(config: McpServerConfig, dependencies: LifeProbeDependencies) {
    this.#config = config;
    this.#dependencies = dependencies;
  }

  /** Settles when it is known whether the server still answers; undefined if nobody is in doubt about it. Calls wait for it. */
  get check(): Promise<void> | undefined {
    return this.#check;
  }

  /** Asks the server of a session in doubt. Calls over a pipe wait for that: each would be stuck in it. */
  ask(session: Session): void {
    const { bounds, happened } = this.#dependencies;
    const asked = askForLife(session, bounds.pingMs).then((happening) => happened(session, happening));
    if (this.#config.transport.kind !== 'stdio') return;
    this.#check = asked.finally(() => {
      this.#check = undefined;
    });
  }

  /** Asks for a sign of life now and then, never while something else is under way that a server may do alone. */
  start(session: Session): void {
    this.#session = session;
    this.#next(session);
  }

  /** Ends the questions that come now and then. */
  stop(): void {
    this.#session = undefined;
    clearTimeout(this.#timer);
  }

  #next(session: Session): void {
    const { bounds, happened } = this.#dependencies;
    this.#timer = setTimeout(() => {
      const probe = async () => {
        if (!this.#isBusy(session)) {
          const happening = await askForLife(session, bounds.pingMs);
          // What came in between may have kept it from answering.
          if (happening.type === 'answered' || !this.#isBusy(session)) happened(session, happening);
        }
        if (this.#session === session) this.#next(session);
      };
      void probe();
    }, bounds.probeEveryMs).unref();
  }

  #isBusy(session: Session): boolean {
    return this.#check !== undefined || (this.#config.callsAtOnce === 1 && session.callsUnderWay() > 0);
  }
}

const unauthorized = 401;
const forbidden = 403;
const tooManyRequests = 429;

/**
 * Asks a server for a sign of life, by what its protocol has for that and never by a second handshake. An error of its own
 * is one, and so is an HTTP answer that only shows that it wants something else.
 */
async function askForLife(session: Session, timeoutMs: number): Promise<Happening> {
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
