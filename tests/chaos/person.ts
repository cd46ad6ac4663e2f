import type { Acknowledged } from '../promises/acknowledged.ts';
import {
  type Answer,
  type ApprovalJson,
  type ConversationJson,
  PatientClient,
  pause,
} from '../promises/patient-client.ts';
import type { Random } from '../simulation/world/random.ts';
import { deciders } from './demanding.ts';
import type { Vote } from './demands.ts';

/** Shared by all people: what was promised to them, and what they found wrong. */
export type Notes = {
  readonly acknowledged: Acknowledged[];
  readonly violations: string[];
  /** Votes that were taken, whether or not they decided. */
  readonly votes: Vote[];
  /** Answers that said "ask again". */
  notNow: number;
};

/** How long one try of a request may take, in milliseconds: a frozen gateway never answers. */
const tryMs = 5_000;
/** Pause before a request is repeated or something is looked at again, in milliseconds. */
const pauseMs = 100;
/** Share of approvals that are given. */
const approvedShare = 0.8;
const doubtDecisions = ['run_again', 'happened', 'give_up'] as const;
const settled: readonly string[] = ['completed', 'failed', 'canceled'];
const serverError = 500;

/** One who talks to the platform through any gateway, and decides as chance has it. */
export class Person {
  /** Stands in everything this person says, so that its calls can be told from all others. */
  readonly tag: string;
  private readonly random: Random;
  private readonly notes: Notes;
  private readonly client: PatientClient;
  private conversationId = '';

  constructor(tag: string, random: Random, gateways: readonly string[], notes: Notes) {
    this.tag = tag;
    this.random = random;
    this.notes = notes;
    let next = random.whole(0, gateways.length - 1);
    this.client = new PatientClient({
      // Another gateway for each try: any of them answers anything.
      address: () => gateways[next++ % gateways.length] ?? '',
      tryMs,
      pauseMs,
      onAnswer: (answer, request) => this.judge(answer, request),
    });
  }

  /** Opens a conversation with a message. */
  async open(text: string, prefer = ''): Promise<void> {
    const key = this.client.newKey();
    const answer = await this.client.post('/conversations', { body: { message: text }, key, prefer });
    this.conversationId = this.conversationOf(answer, 'the create', [201, 202]).id;
    this.notes.acknowledged.push({ kind: 'message', conversationId: this.conversationId, key, text });
  }

  /** Says something more. */
  async say(text: string): Promise<void> {
    const { conversationId } = this;
    const key = this.client.newKey();
    const answer = await this.client.post(`/conversations/${conversationId}/messages`, {
      body: { message: text },
      key,
    });
    this.conversationOf(answer, 'the message', [200, 202]);
    if (answer.body.result?.error !== undefined) this.wrong(`the message was not taken: ${answer.body.result.error}`);
    else this.notes.acknowledged.push({ kind: 'message', conversationId, key, text });
  }

  async cancel(): Promise<void> {
    const { conversationId } = this;
    const key = this.client.newKey();
    const answer = await this.client.post(`/conversations/${conversationId}/cancel`, { body: {}, key });
    // The run may have come to its end before.
    if (answer.status === 409) return;
    this.conversationOf(answer, 'the cancel', [200, 202]);
    this.notes.acknowledged.push({ kind: 'cancel', conversationId, key });
  }

  /** Waits until the conversation is settled, and decides on all that waits for a human: the oldest first, or any. */
  async toTheEnd(
    decide: (approval: ApprovalJson) => Promise<void> = (one) => this.decide(one),
    order: 'oldest' | 'any' = 'oldest',
  ): Promise<void> {
    for (;;) {
      const { run, pending_approvals: pending } = await this.conversation();
      if (run === undefined || settled.includes(run.status)) return;
      const [oldest] = pending;
      const approval = order === 'oldest' || oldest === undefined ? oldest : this.random.pick(pending);
      if (approval === undefined) await pause(pauseMs);
      else await decide(approval);
    }
  }

  /** Waits until something waits for a human, or nothing will. */
  async toAHuman(): Promise<void> {
    for (;;) {
      const { run, pending_approvals: pending } = await this.conversation();
      if (pending.length > 0 || run === undefined || settled.includes(run.status)) return;
      await pause(pauseMs);
    }
  }

  /** Takes one decision. */
  async decide(approval: ApprovalJson): Promise<void> {
    await this.resolve(approval, this.decisionOn(approval), this.tag);
  }

  /** Two people decide at the same moment, each as he likes. */
  async decideTwice(approval: ApprovalJson): Promise<void> {
    const [one, two] = [this.decisionOn(approval), this.decisionOn(approval)];
    await Promise.all([this.resolve(approval, one, `${this.tag}-a`), this.resolve(approval, two, `${this.tag}-b`)]);
  }

  /** All who may decide vote at the same moment: most say the same yes, now and then one of them says no. */
  async decideTogether(approval: ApprovalJson): Promise<void> {
    const decision = this.decisionOn(approval);
    const votes = deciders.map((name, index) => {
      const isNo = index === 0 && this.random.chance(1 - approvedShare);
      return this.vote(approval, isNo ? { action: 'reject' } : decision, name);
    });
    await Promise.all(votes);
  }

  /** Nobody decides for a while. */
  letTimePass(): Promise<void> {
    return pause(pauseMs);
  }

  wrong(text: string): void {
    this.notes.violations.push(`${this.tag} (${this.conversationId}): ${text}`);
  }

  private decisionOn({ kind, tool_name: tool }: ApprovalJson): { action: string; result?: string } {
    if (kind !== 'in_doubt') return { action: this.random.chance(approvedShare) ? 'approve' : 'reject' };
    const action = this.random.pick(doubtDecisions);
    return action === 'happened' ? { action, result: `${tool} was done when I looked` } : { action };
  }

  /** A decision that comes second is told what the first one was; that is no promise. */
  private async resolve(approval: ApprovalJson, body: { action: string }, approver: string): Promise<void> {
    const key = this.client.newKey();
    const answer = await this.client.post(`/approvals/${approval.uuid}`, { body, key, approver });
    if (answer.status === 409) {
      const { decision, decided_at: at } = answer.body;
      if (decision === undefined || Number.isNaN(Date.parse(at ?? '')))
        this.wrong(`a late decision was answered ${text(answer)}`);
      return;
    }
    const { conversationId } = this;
    this.conversationOf(answer, `the decision ${body.action}`, [200, 202]);
    const decision = { approve: 'approved', reject: 'rejected' }[body.action] ?? body.action;
    this.notes.acknowledged.push({ kind: 'decision', conversationId, key, approvalId: approval.uuid, decision });
  }

  /** One who comes too late, or says yes once more, is told so: that is no promise. */
  private async vote(approval: ApprovalJson, body: { action: string }, approver: string): Promise<void> {
    const key = this.client.newKey();
    const answer = await this.client.post(`/approvals/${approval.uuid}`, { body, key, approver });
    if (answer.status === 409) return;
    const { conversationId } = this;
    if (answer.status === 200 || answer.status === 202) this.notes.votes.push({ conversationId, key });
    else this.wrong(`the vote ${body.action} of ${approver} was answered ${text(answer)}`);
  }

  private async conversation(): Promise<ConversationJson> {
    const answer = await this.client.get(`/conversations/${this.conversationId}`);
    return this.conversationOf(answer, 'the conversation', [200]);
  }

  private conversationOf(answer: Answer, what: string, statuses: readonly number[]): ConversationJson {
    const { conversation } = answer.body;
    if (!statuses.includes(answer.status) || conversation === undefined)
      throw new Error(`${what} was answered ${text(answer)}`);
    return conversation;
  }

  /** What holds of every answer, also of one after which the request is made again. */
  private judge(answer: Answer, request: string): void {
    const { status, headers } = answer;
    if (status < serverError) return;
    if (status !== 503 && status !== 504) this.wrong(`${request} was answered ${text(answer)}`);
    else if (headers.get('retry-after') === null) this.wrong(`${request} was answered ${status} without Retry-After`);
    else this.notes.notNow += 1;
  }
}

function text({ status, body }: Answer): string {
  return `${status} ${JSON.stringify(body).slice(0, 500)}`;
}
