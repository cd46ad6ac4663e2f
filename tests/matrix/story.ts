import { randomUUID } from 'node:crypto';
import { pendingApprovals } from '@stopgo/core';
import { approvals } from '@stopgo/proto';
import { callIds } from './agent.ts';
import { wrongPending } from './check.ts';
import type { Platform, Running } from './platform.ts';
import { Watch } from './watch.ts';

/** One conversation, from its message to the last decision. */
export class Story {
  readonly conversationId = randomUUID();
  readonly message: string;
  readonly watch: Watch;
  readonly violations: string[] = [];
  private readonly platform: Platform;
  private readonly decided = new Set<string>();

  constructor(platform: Platform, message: string) {
    this.platform = platform;
    this.message = message;
    this.watch = new Watch(platform.store, this.conversationId);
  }

  /** Asks, and waits until all calls wait for a decision. */
  async open({ client }: Running): Promise<void> {
    const { conversationId, message } = this;
    await client.createConversation({ conversationId, message });
    await this.watch.quiet(1);
    await this.look();
  }

  /** Records a decision; resolves when whoever was nudged has answered, or cannot any more. Gives its revision. */
  async decide(callId: string, isApproved: boolean): Promise<number> {
    const { run } = this.watch;
    const approvalId = pendingApprovals(run).find((id) => run?.interrupts[id]?.callId === callId);
    if (approvalId === undefined) throw new Error(`${this.message}: no approval of ${callId} is pending`);
    const { APPROVE, REJECT } = approvals.DecisionKind;
    const kind = isApproved ? APPROVE : REJECT;
    const before = this.watch.revision;
    this.decided.add(callId);
    await this.platform.approvals.resolve({ approvalId, kind });
    return before + 1;
  }

  /** Holds what anybody is shown against what waits. */
  async look(): Promise<void> {
    const { view } = await this.platform.store.getConversation({ conversationId: this.conversationId });
    const shown = view?.pendingApprovals.map(({ id }) => id) ?? [];
    const isOpen = this.watch.run?.status === 'open';
    const decided = isOpen ? this.decided : new Set(callIds);
    this.violations.push(...wrongPending(this.watch.events, decided, shown).map((what) => `${this.message}: ${what}`));
  }
}
