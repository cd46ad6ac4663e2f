import type { DelegationRequest, LookedUp } from '../delegation-port.ts';
import { createRedactor } from '../models/redact.ts';
import type { DriverPorts } from './ports.ts';

/** Agents whose silence is remembered. */
const silentMax = 1_024;

/** Tells once that an agent does not answer, and again only after it has answered. */
export class AgentNews {
  private readonly silent = new Set<string>();
  private readonly tell: (agent: string, reason: string) => void;

  constructor(tell: (agent: string, reason: string) => void) {
    this.tell = tell;
  }

  heard(agent: string): void {
    this.silent.delete(agent);
  }

  /** True if that is news. */
  lost(agent: string, reason: string): boolean {
    if (this.silent.has(agent)) return false;
    if (this.silent.size >= silentMax) this.silent.clear();
    this.silent.add(agent);
    this.tell(agent, reason);
    return true;
  }
}

/** What an agent says of an attempt; undefined, and told to whoever runs the platform, if nothing was learnt. */
export async function lookedUp(
  { delegations, news, onFault }: DriverPorts,
  request: DelegationRequest,
  signal: AbortSignal,
  stopping?: AbortSignal,
): Promise<LookedUp | undefined> {
  const { agent, bearer } = request;
  try {
    const found = await delegations.lookUp(request, signal);
    news.heard(agent.name);
    return found;
  } catch (error) {
    if (stopping?.aborted === true) return undefined;
    const message = error instanceof Error ? error.message : String(error);
    const isNews = news.lost(agent.name, createRedactor(bearer === undefined ? [] : [bearer.reveal()])(message));
    // The run is not ended for it: what an agent says may have led there.
    if (isNews && isDefect(error)) onFault(error, `looking at a task of the agent ${agent.name}`);
    return undefined;
  }
}

/** An error of the program's own making; one of a connection has the error of the connection as its cause. */
function isDefect(error: unknown): boolean {
  const isOwn = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
  return isOwn && error.cause === undefined;
}
