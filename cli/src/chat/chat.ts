import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Sent } from '@stopgo/client';
import { messageOf } from '@stopgo/runtime';
import { askGateway } from '../decide/gateway.ts';
import { GatewayError } from '../decide/gateway-error.ts';
import type { Lines } from '../lines.ts';
import { counted, oneLine, shellWord } from '../shown.ts';
import { askDecision, askInput, type Decision } from './decisions.ts';
import { Followed, type SentEvent } from './follow.ts';
import { askedPatiently, type Patience, usualPatience, type Waiting } from './patience.ts';
import { Report } from './report.ts';
import type { Delta } from './speech.ts';
import { type Answer, answerOf, type View } from './view.ts';

/** What an answer of the gateway is to be like: at once, and short. What comes of a message is told by the events. */
const atOnce = { prefer: 'respond-async, return=minimal' };
export type ChatOptions = {
  /** Goes on with this conversation. */
  readonly conversation?: string | undefined;
  /** Who decides, for the record. */
  readonly by?: string | undefined;
  /** The agent of a new conversation; absent: the platform's own. */
  readonly agent?: string | undefined;
  /** How many agents may call one below another in the runs of what is said here; absent: as many as the platform allows. */
  readonly maxCallDepth?: number | undefined;
  /** A line to copy: the command with these words, for the same platform. */
  readonly commandLine: (words: string) => string;
  /** With a platform that is away; the usual one if absent. */
  readonly patience?: Patience;
};

/**
 * `stopgo chat`: a message for each line; shows what comes of it while it comes, and asks for the decisions that are needed. Ends with
 * the lines. What was left undecided waits on, and the run with it.
 *
 * @throws Error if the gateway refuses something, or cannot be reached.
 */
export async function chat(
  url: string,
  { conversation, ...options }: ChatOptions,
  lines: Lines,
  write: (text: string) => void,
): Promise<void> {
  const talk = new Talk(url, options, lines, write);
  if (conversation !== undefined) await talk.resume(conversation);
  while (!talk.isLeft) {
    const line = await lines.next('> ');
    if (line === undefined) break;
    if (line.trim() !== '') await talk.say(line);
  }
  talk.goodbye();
}

class Talk {
  readonly #url: string;
  readonly #by: string | undefined;
  readonly #agent: object;
  /** What each message asks of its run. */
  readonly #wishes: object;
  readonly #commandLine: (words: string) => string;
  readonly #patience: Patience;
  /** What was asked here and left undecided. */
  readonly #passedOver = new Set<string>();
  readonly #lines: Lines;
  readonly #write: (text: string) => void;
  readonly #report = new Report();
  readonly #leaving: Promise<unknown>;
  #id: string | undefined;
  #revision = 0;
  /** Events that came while a question stands, which nothing is to be written below; undefined while none does. */
  #heldBack: SentEvent[] | undefined;
  /** The human has left while something was going on. */
  #isRunning = false;
  /** What the human has left before the gateway said that it has it. */
  #unheard: 'message' | 'decision' | undefined;
  /** Something was left undecided. */
  #isWaiting = false;

  constructor(
    url: string,
    { by, agent, maxCallDepth, commandLine, patience = usualPatience }: Omit<ChatOptions, 'conversation'>,
    lines: Lines,
    write: (text: string) => void,
  ) {
    this.#url = url;
    this.#by = by;
    this.#agent = agent === undefined ? {} : { agent };
    this.#wishes = maxCallDepth === undefined ? {} : { max_call_depth: maxCallDepth };
    this.#commandLine = commandLine;
    this.#patience = patience;
    this.#lines = lines;
    this.#write = write;
    this.#leaving = once(lines.left, 'abort');
  }

  /** The human has left, or left undecided what has to be decided first. */
  get isLeft(): boolean {
    return this.#lines.left.aborted || this.#isWaiting;
  }

  async resume(id: string): Promise<void> {
    const view = await this.#look(id, () => false);
    if (view === undefined) return;
    this.#id = view.id;
    this.#revision = view.revision;
    this.#print(
      oneLine(
        `conversation ${view.id}: ${view.title === '' ? '-' : view.title}, ${counted(view.message_count, 'message')}`,
      ),
    );
    await this.#settle();
  }

  /** Sends a message once, however often it takes to send it, and shows what comes of it. */
  async say(message: string): Promise<void> {
    const isFirst = this.#id === undefined;
    const path = isFirst ? '/conversations' : `/conversations/${this.#id}/messages`;
    const body = { ...(isFirst ? this.#agent : {}), message, ...this.#wishes };
    let answer: Answer | undefined;
    try {
      // Where nobody is there from the start, nothing was sent.
      const mayHelp = ({ outcome }: GatewayError, tries: number) => outcome !== 'not sent' || tries > 1;
      answer = await this.#patiently(path, { body, ...atOnce }, mayHelp);
    } catch (error) {
      if (error instanceof GatewayError && error.outcome === 'unknown')
        throw new Error(`${error.message}; nobody knows whether the message was taken: look with\n${this.#goOn()}`);
      // A human may say something else. A script cannot.
      if (!this.#lines.isTerminal) throw error;
      this.#print(messageOf(error));
      return;
    }
    if (answer === undefined) {
      this.#unheard = 'message';
      return;
    }
    const { conversation, error } = answer;
    this.#id = conversation.id;
    if (isFirst) {
      this.#print(oneLine(`conversation ${conversation.id} goes on with:`));
      this.#print(this.#goOn());
    }
    // Not taken: something else has to be done first, which is shown below. A run that failed tells so itself.
    if (error !== undefined && conversation.run?.status === 'waiting') this.#print(oneLine(error));
    await this.#settle();
  }

  goodbye(): void {
    if (this.#unheard !== undefined)
      this.#print(`nobody knows whether the last ${this.#unheard} was taken; look with:`);
    else if (this.#isWaiting) this.#print('it waits; this goes on with it:');
    else if (this.#isRunning) this.#print('the run goes on without you; this shows it:');
    else return;
    this.#print(this.#goOn());
  }

  /** Shows what happens until nothing does any more, and asks what has to be asked. */
  async #settle(): Promise<void> {
    const id = this.#id as string;
    const listener = {
      event: (event: SentEvent) => this.#show(event),
      // What is dropped is shown whole once it is on the record.
      delta: (delta: Delta) => this.#heldBack === undefined && this.#write(this.#report.delta(delta)),
    };
    const events = new Followed(this.#url, id, this.#revision, listener, this.#patience);
    const told = new Set<string>();
    try {
      while (!this.isLeft) {
        const view = await this.#lookPatiently(id);
        if (view === undefined) return;
        await Promise.race([events.until(view.revision), this.#leaving]);
        if (this.isLeft) return;
        const decision = await this.#decided(view);
        const status = view.run?.status;
        if (typeof decision === 'object') await this.#decide(decision);
        // Something else may go on meanwhile, and is shown.
        else if (decision === 'left undecided' && status !== 'working') this.#isWaiting = true;
        else if (status !== 'working' && status !== 'waiting') return;
        else if (status === 'waiting' && view.auth_prompt !== undefined) return this.#wantsToken(view.auth_prompt);
        else {
          this.#tellWaits(view, told);
          await this.#nextLook(events);
        }
      }
    } finally {
      this.#isRunning = this.#lines.left.aborted;
      this.#revision = events.revision;
      events.end();
    }
  }

  async #nextLook(events: Followed): Promise<void> {
    const enough = new AbortController();
    const signal = AbortSignal.any([enough.signal, this.#lines.left]);
    await Promise.race([events.next(), pause(this.#patience.lookMs, undefined, { signal }).catch(() => undefined)]);
    enough.abort();
  }

  /** Asks about one thing after the other; what was passed over is not asked about again. */
  async #decided({
    pending_approvals: approvals,
    pending_inputs: inputs = [],
  }: View): Promise<NonNullable<Decision> | 'nothing to decide' | 'left undecided'> {
    const print = (line: string): void => this.#print(line);
    const commandLine = this.#commandLine;
    const questions = [
      ...approvals.map((one) => ({ id: one.uuid, ask: () => askDecision(one, this.#lines, print, commandLine) })),
      ...inputs.map((one) => ({ id: one.id, ask: () => askInput(one, this.#lines, print, commandLine) })),
    ];
    for (const { id, ask } of questions) {
      if (this.#passedOver.has(id)) continue;
      const decision = await this.#asked(ask);
      if (decision !== undefined) return decision;
      this.#passedOver.add(id);
      if (this.isLeft) break;
    }
    return questions.length === 0 ? 'nothing to decide' : 'left undecided';
  }

  /** What happens while a question stands is shown after it. */
  async #asked(ask: () => Promise<Decision>): Promise<Decision> {
    this.#heldBack = [];
    try {
      return await ask();
    } finally {
      const events = this.#heldBack;
      this.#heldBack = undefined;
      for (const event of events) this.#show(event);
    }
  }

  #show(event: SentEvent): void {
    if (this.#heldBack === undefined) this.#write(this.#report.event(event));
    else this.#heldBack.push(event);
  }

  async #decide({ path, body }: NonNullable<Decision>): Promise<void> {
    const { left } = this.#lines;
    const by = this.#by === undefined ? {} : { by: this.#by };
    try {
      await askGateway(this.#url, path, { body: { ...body, ...by }, ...atOnce, signal: left });
    } catch (error) {
      if (left.aborted && error instanceof GatewayError && error.outcome === 'unknown') {
        this.#unheard = 'decision';
        return;
      }
      const isUnknown = error instanceof GatewayError && error.outcome === 'unknown';
      const said = isUnknown ? `${error.message}; the decision may have been recorded` : messageOf(error);
      if (!this.#lines.isTerminal) throw new Error(isUnknown ? `${said}: look with\n${this.#goOn()}` : said);
      // Somebody else was quicker, or the values are not what is asked for: what is so now is looked at next.
      this.#print(said);
    }
  }

  /** A wait for people is asked about; of the others each is told once. */
  #tellWaits({ waiting_for: waits = [] }: View, told: Set<string>): void {
    for (const { kind, text } of waits) {
      const what = `${kind} ${text.split(', next try')[0]}`;
      if (told.has(what)) continue;
      told.add(what);
      this.#write(this.#report.lines([oneLine(`it waits: ${text}`)]));
    }
  }

  #wantsToken(prompt: string): void {
    this.#print(oneLine(`it waits for a bearer token: ${prompt}; send a message with one over REST or A2A`));
    this.#isWaiting = true;
  }

  async #look(id: string, mayHelp: Waiting['mayHelp']): Promise<View | undefined> {
    const path = `/conversations/${encodeURIComponent(id)}`;
    return (await this.#patiently(path, { prefer: 'return=minimal' }, mayHelp))?.conversation;
  }

  /** The same, also while the platform is away for a while; undefined if the human has left. */
  async #lookPatiently(id: string): Promise<View | undefined> {
    try {
      return await this.#look(id, () => true);
    } catch (error) {
      throw new Error(`${messageOf(error)}; this goes on with the conversation:\n${this.#goOn()}`);
    }
  }

  async #patiently(path: string, sent: Sent, mayHelp: Waiting['mayHelp']): Promise<Answer | undefined> {
    const tell = (line: string): void => this.#print(line);
    const waiting = { mayHelp, tell, left: this.#lines.left, patience: this.#patience };
    const answered = await askedPatiently(this.#url, path, sent, waiting);
    return answered === undefined ? undefined : answerOf(answered, this.#url);
  }

  /** A row of its own, so that it can be copied: the command that goes on with the conversation, or finds it. */
  #goOn(): string {
    return `  ${this.#commandLine(this.#id === undefined ? 'conversations' : `chat ${shellWord(this.#id)}`)}`;
  }

  #print(line: string): void {
    this.#write(this.#report.lines([line]));
  }
}
