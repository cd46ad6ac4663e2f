import { createHash } from 'node:crypto';
import type { Acknowledged } from '../promises/acknowledged.ts';
import {
  type Answer,
  type ApprovalJson,
  type ConversationJson,
  PatientClient,
  pause,
} from '../promises/patient-client.ts';
import { agentCount } from './agent-files.ts';
import type { World } from './world.ts';

/** How long a conversation is given to come to its end, in milliseconds. */
const endMs = 180_000;

/** What the harness answers to calls in doubt, one after the other. */
const doubtDecisions = ['run_again', 'happened', 'give_up'] as const;

/** Shared by all who tell stories in a world: promises made, things found wrong, decisions on calls in doubt. */
export type Notes = {
  readonly acknowledged: Acknowledged[];
  readonly violations: string[];
  doubts: number;
};

/** Tells one story: makes its requests, and repeats them through every crash until they are answered. */
export class Teller {
  /** Stands in everything this story says, so that its calls and prompts can be told from all others. */
  readonly tag: string;
  readonly client: PatientClient;
  readonly world: World;
  conversationId = '';
  private readonly notes: Notes;
  private readonly settledDecisions = new Set<string>();

  constructor(world: World, tag: string, notes: Notes) {
    this.world = world;
    this.tag = tag;
    this.notes = notes;
    this.client = new PatientClient({ address: () => world.ready() });
  }

  /** Opens the conversation with a message. */
  async open(text: string, prefer = '', agent?: string): Promise<ConversationJson> {
    const key = this.client.newKey();
    const answer = await this.client.post('/conversations', { body: { message: text, agent }, key, prefer });
    const conversation = this.conversationOf(answer, 'the create', [201, 202]);
    this.conversationId = conversation.id;
    this.notes.acknowledged.push({ kind: 'message', conversationId: conversation.id, key, text });
    return conversation;
  }

  /** Says something more. */
  async say(text: string): Promise<ConversationJson> {
    const key = this.client.newKey();
    const path = `/conversations/${this.conversationId}/messages`;
    const answer = await this.client.post(path, { body: { message: text }, key });
    const conversation = this.conversationOf(answer, 'the message', [200, 202]);
    if (answer.body.result?.error !== undefined) this.wrong(`the message was not taken: ${answer.body.result.error}`);
    this.notes.acknowledged.push({ kind: 'message', conversationId: this.conversationId, key, text });
    return conversation;
  }

  /** Decides on an approval of a tool call. */
  async decide(approval: ApprovalJson, approve: boolean, prefer = ''): Promise<ConversationJson> {
    const body = { approved: approve, by: 'tester' };
    return this.resolve(approval, body, approve ? 'approved' : 'rejected', prefer);
  }

  /** True once the platform has read the agents of the repository. */
  async knowsAgents(): Promise<boolean> {
    const { body } = await this.client.get('/repositories');
    const { repositories } = body as { readonly repositories?: readonly { readonly agent_count: number }[] };
    return repositories?.[0]?.agent_count === agentCount;
  }

  async cancel(): Promise<void> {
    const key = this.client.newKey();
    const { conversationId } = this;
    const answer = await this.client.post(`/conversations/${conversationId}/cancel`, { body: {}, key });
    // The run may have come to its end, or to a human, before.
    if (answer.status === 409) return;
    this.conversationOf(answer, 'the cancel', [200, 202]);
    this.notes.acknowledged.push({ kind: 'cancel', conversationId, key });
  }

  async conversation(): Promise<ConversationJson> {
    const answer = await this.client.get(`/conversations/${this.conversationId}`);
    return this.conversationOf(answer, 'the conversation', [200]);
  }

  /** Waits until something is so. */
  async until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = Date.now() + endMs;
    while (!(await isSo())) {
      if (Date.now() > deadline) throw new Error(`${this.tag}: ${what} did not come about within ${endMs} ms`);
      await pause();
    }
  }

  /** Drives the conversation to its end: decides whatever waits for a human, in the order that is asked for. */
  async toTheEnd(
    choose: (pending: readonly ApprovalJson[]) => ApprovalJson | undefined,
    approve: boolean,
  ): Promise<void> {
    await this.until('its end', async () => {
      const { run, pending_approvals: pending } = await this.conversation();
      if (run === undefined || ['completed', 'failed', 'canceled'].includes(run.status)) return true;
      const approval = choose(pending);
      if (approval === undefined) return false;
      if (approval.kind === 'in_doubt') await this.decideDoubt(approval);
      else await this.decide(approval, approve);
      return false;
    });
  }

  /** Answers what an agent asks people, once: a second answer is refused, the run ends, and nobody is asked again. */
  async answerInput(question: string, said: { readonly content?: object; readonly file?: object }): Promise<void> {
    const path = `/conversations/${this.conversationId}/inputs`;
    const asked = async () => {
      const { pending_inputs: inputs = [] } = await this.conversation();
      return inputs.find(({ message }) => message.includes(question));
    };
    await this.until('the question', async () => (await asked()) !== undefined);
    const id = (await asked())?.id ?? '';
    const body = { action: 'accept', ...said };
    const key = this.client.newKey();
    const answer = await this.client.post(`${path}/${id}`, { body, key });
    this.conversationOf(answer, 'the answer', [200, 202]);
    this.notes.acknowledged.push({ kind: 'answer', conversationId: this.conversationId, key, inputId: id });
    const second = await this.client.post(`${path}/${id}`, { body: { action: 'decline' }, key: this.client.newKey() });
    if (second.status !== 409) this.wrong(`a second answer was answered ${second.status}`);
    await this.until('the end of the run', async () => (await this.conversation()).run?.status === 'completed');
    if ((await asked()) !== undefined) this.wrong('it asks again what was answered');
  }

  /** The run ended with these words, and each of these agents worked on it once, in this order. */
  async wasTold(final: string, agents: readonly string[]): Promise<void> {
    const { messages = [] } = await this.conversation();
    const words = messages.at(-1)?.content;
    if (words !== final) this.wrong(`it ended with ${JSON.stringify(words)}`);
    const { steps = [] } = (await this.client.get(`/runs/${this.conversationId}/steps`)).body;
    const worked = steps.map(({ agent, state }) => `${agent} ${state}`).join();
    if (worked !== agents.map((agent) => `${agent} COMPLETED`).join()) this.wrong(`its steps are ${worked}`);
  }

  /** What was given as a file is there, as it was given. */
  async findFile(json: string): Promise<void> {
    const digest = createHash('sha256').update(json).digest('hex');
    const { status, body } = await this.client.get(`/conversations/${this.conversationId}/blobs/${digest}`);
    if (status !== 200 || JSON.stringify(body) !== json) this.wrong(`the file that was given is lost: ${status}`);
  }

  wrong(text: string): void {
    this.notes.violations.push(`${this.tag}: ${text}`);
  }

  private async decideDoubt(approval: ApprovalJson): Promise<void> {
    const expected = [...doubtDecisions];
    if (approval.choices.join() !== expected.join()) this.wrong(`a call in doubt offers ${approval.choices.join()}`);
    const plain = await this.client.post(`/approvals/${approval.uuid}`, { body: { approved: true } });
    if (plain.status !== 400 || plain.body.choices?.join() !== expected.join())
      this.wrong(`a plain yes to a call in doubt was answered ${plain.status} ${JSON.stringify(plain.body)}`);
    const action = doubtDecisions[this.notes.doubts % doubtDecisions.length] ?? 'give_up';
    this.notes.doubts += 1;
    const body = action === 'happened' ? { action, result: 'it was there when I looked' } : { action };
    await this.resolve(approval, body, action, '');
  }

  private async resolve(
    approval: ApprovalJson,
    body: object,
    decision: string,
    prefer: string,
  ): Promise<ConversationJson> {
    if (this.settledDecisions.has(approval.uuid))
      this.wrong(`approval ${approval.uuid} waits again after its decision`);
    const key = this.client.newKey();
    const answer = await this.client.post(`/approvals/${approval.uuid}`, { body, key, prefer });
    const conversation = this.conversationOf(answer, `the decision ${decision}`, [200, 202]);
    this.settledDecisions.add(approval.uuid);
    const { conversationId } = this;
    this.notes.acknowledged.push({ kind: 'decision', conversationId, key, approvalId: approval.uuid, decision });
    return conversation;
  }

  private conversationOf(answer: Answer, what: string, statuses: readonly number[]): ConversationJson {
    const { conversation } = answer.body;
    if (!statuses.includes(answer.status) || conversation === undefined)
      throw new Error(
        `${this.tag}: ${what} was answered ${answer.status} ${JSON.stringify(answer.body).slice(0, 500)}`,
      );
    return conversation;
  }
}
