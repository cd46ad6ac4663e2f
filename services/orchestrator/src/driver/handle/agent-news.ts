import type { DelegationPort, DelegationRequest, LookedUp } from '../../delegation-port.ts';
import { isDefect } from '../../is-defect.ts';
import { createRedactor } from '../../models/redact.ts';

/** Agents whose silence is remembered, and defects that were told. */
const silentMax = 1_024;
const defectsMax = 1_024;

/** Tells once that an agent does not answer, and again only after it has answered; and what is wrong here, once. */
export class AgentNews {
  private readonly silent = new Set<string>();
  private readonly defects = new Set<string>();
  private readonly tell: (agent: string, reason: string) => void;

  constructor(tell: (agent: string, reason: string) => void) {
    this.tell = tell;
  }

  heard(agent: string): void {
    this.silent.delete(agent);
  }

  lost(agent: string, reason: string): void {
    if (isNew(this.silent, agent, silentMax)) this.tell(agent, reason);
  }

  /** True if that is news, whether the agent is silent or not. */
  isNewDefect(what: string): boolean {
    return isNew(this.defects, what, defectsMax);
  }
}

function isNew(known: Set<string>, one: string, most: number): boolean {
  if (known.has(one)) return false;
  if (known.size >= most) known.clear();
  known.add(one);
  return true;
}

/** Who is told what agents do and do not. */
type Listeners = { readonly news: AgentNews; readonly onFault: (error: unknown, where: string) => void };

/**
 * Tells whoever runs the platform of an error of the program's own making; one of a connection is for whoever waits for the
 * agent. The run is not ended for it: what an agent says may have led there.
 */
export function tellDefect({ news, onFault }: Listeners, error: unknown, where: string): undefined {
  if (isDefect(error) && news.isNewDefect(`${where}: ${error.message}`)) onFault(error, where);
}

/** What an agent says of an attempt; undefined, and told to whoever runs the platform, if nothing was learnt. */
export async function lookedUp(
  ports: Listeners & { readonly delegations: Pick<DelegationPort, 'lookUp'> },
  request: DelegationRequest,
  signal: AbortSignal,
  stopping?: AbortSignal,
): Promise<LookedUp | undefined> {
  const { delegations, news } = ports;
  const { agent, bearer } = request;
  try {
    const found = await delegations.lookUp(request, signal);
    news.heard(agent.name);
    return found;
  } catch (error) {
    if (stopping?.aborted === true) return undefined;
    const message = error instanceof Error ? error.message : String(error);
    news.lost(agent.name, createRedactor(bearer === undefined ? [] : [bearer.reveal()])(message));
    tellDefect(ports, error, `looking at a task of the agent ${agent.name}`);
    return undefined;
  }
}

/**
 * What a look shows, as far as it may be believed: an agent hides the tasks of others as if there were none, and without the token
 * that a task was sent with this is another caller.
 */
export function believed({ hadToken, bearer }: DelegationRequest, found: LookedUp): LookedUp {
  const isStranger = hadToken === true && bearer === undefined;
  return isStranger && (found.kind === 'unknown' || found.kind === 'repeatable') ? { kind: 'unauthenticated' } : found;
}
