import { Kept } from '../../a2a/kept.ts';
import type { Callback, DelegationPort, DelegationRequest } from '../../delegation-port.ts';

/** Tasks of which it is remembered what their agents made of a callback. */
const registrationsMax = 10_000;
/** Agents of which it was told that they do not call back. */
const quietMax = 1_024;

type Parts = {
  readonly delegations: Pick<DelegationPort, 'notify'>;
  /** The callback of a task; undefined if there are none here. */
  readonly callbackOf: (request: DelegationRequest) => Callback | undefined;
  /** An agent does not call back, and why. */
  readonly note: (agent: string, reason: string) => void;
};

/**
 * Which agents call back when a task of theirs changes, as far as this process has asked them. Whatever becomes of that, their
 * tasks are looked at, too: so nothing here is an error, and nothing is kept.
 */
export class Registrations {
  private readonly parts: Parts;
  /** By message of a task. */
  private readonly known = new Kept<'asking' | 'taken' | 'no'>(registrationsMax);
  private readonly quiet = new Set<string>();

  constructor(parts: Parts) {
    this.parts = parts;
  }

  isTaken({ messageId }: DelegationRequest): boolean {
    return this.known.get(messageId) === 'taken';
  }

  /** It has not called back when it should have: it is asked anew. */
  forget({ messageId }: DelegationRequest): void {
    this.known.delete(messageId);
  }

  /** Gives the agent the callback of a task, unless it has it or does not want it. Never rejects. */
  async offer(request: DelegationRequest, signal: AbortSignal): Promise<void> {
    const { messageId, agent } = request;
    const { delegations, callbackOf } = this.parts;
    if (this.known.get(messageId) !== undefined) return;
    this.known.set(messageId, 'asking');
    try {
      const callback = callbackOf(request);
      const answer = callback === undefined ? undefined : await delegations.notify(request, callback, signal);
      this.known.set(messageId, answer?.kind === 'taken' ? 'taken' : 'no');
      if (answer?.kind === 'taken') this.quiet.delete(agent.name);
      if (answer?.kind === 'refused') this.note(agent.name, answer.reason);
    } catch (error) {
      // The next look asks again.
      this.known.delete(messageId);
      this.note(agent.name, error instanceof Error ? error.message : String(error));
    }
  }

  /** Once, until it calls back. */
  private note(agent: string, reason: string): void {
    if (this.quiet.has(agent)) return;
    if (this.quiet.size >= quietMax) this.quiet.clear();
    this.quiet.add(agent);
    this.parts.note(agent, reason);
  }
}
