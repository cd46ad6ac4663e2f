import type { Decided } from '../events/decisions.ts';
import type { Demand } from './demand.ts';

/** Why a run waits: for a yes, for values, for a token, or for a model that a tool server has asked. */
export type Interrupt = Approval | Input | Request | Auth | Sampling;

type Asked<K extends string> = {
  readonly kind: K;
  readonly id: string;
  /** The call that waits for it, or in the midst of which it is asked. */
  readonly callId: string;
  /** Milliseconds since 1970. */
  readonly requestedAt: number;
  /** When it is not waited for any more, in milliseconds since 1970; absent: it waits for ever. */
  readonly dueAt?: number;
};

/** People say yes or no. It stays known after that, until the loop that its call is in goes round, or another run begins. */
export type Approval = Asked<'approval'> & {
  /**
   * `call`: of a call that has not run; `in_doubt`: of one that may have; `question`: of what the agent asks that a delegation was
   * sent to.
   */
  readonly of: 'call' | 'in_doubt' | 'question';
  readonly choices: readonly string[];
  /** In the order of the log. */
  readonly votes: readonly Vote[];
  /** As many people have to say the same yes. */
  readonly votesNeeded: number;
  /** Who may decide, and until when; absent: whoever may decide approvals at all, for ever. */
  readonly demand?: Demand;
  /** Reminders and escalations that are on the record. */
  readonly reminders?: number;
  readonly escalated?: number;
  /** Key of who is to look at it; absent: nobody in particular. */
  readonly assignee?: string;
  /** True if the tool changed after the decision, so that it allows nothing. */
  readonly void?: true;
  /** The standing approval that has let the call run; absent: somebody was asked, or a rule decided. */
  readonly standingId?: string;
};

/** What somebody said to an approval, or the platform did. */
export type Vote = {
  readonly kind: Decided;
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** What tells who voted from others; absent: the name does. */
  readonly voter?: string;
  /** Of `happened`, where more than one has to say so: digest of the result; absent: nobody recorded it, and it goes with any. */
  readonly result?: string;
};

/** People give values, or open an address, in the midst of a call. It is there until it is answered or withdrawn. */
export type Input = Asked<'input'> & { readonly prompt: string; readonly server: AskedByServer };

/** An agent asks people for something, and a call of it waits for that. It is there until it is answered or withdrawn. */
export type Request = Asked<'request'> & { readonly prompt: string; readonly asks: AskedByAgent };

/** The forms of an answer to an agent. */
export type InputType = 'text' | 'choice' | 'approval' | 'structured_data' | 'file';

/** What an agent of this platform asks for. */
export type AskedByAgent = {
  readonly type: InputType;
  /** Of the values asked for; empty for a file. */
  readonly schemaJson: string;
  /** False: it may be left out. */
  readonly isRequired: boolean;
  readonly agent: string;
  readonly node: string;
  readonly tool: string;
};

/** Somebody sends a bearer token along with a message. It is there until that comes. */
export type Auth = Asked<'auth'> & { readonly prompt: string };

/** The agent's model answers, in the midst of a call. It is there until it has, or is not needed any more. */
export type Sampling = Asked<'sampling'> & { readonly prompt: string; readonly server: AskedByServer };

/** What a tool server asks, and where it waits for the answer. */
export type AskedByServer = {
  readonly questionId: string;
  readonly attempt: number;
  readonly bridge: string;
  readonly server: string;
  readonly tool: string;
  /** Of the values asked for; empty if a person is to open an address. */
  readonly schemaJson: string;
  readonly url: string;
  /** Until when the server waits, as people are shown it; milliseconds since 1970. */
  readonly expiresAt: number;
  readonly node: string;
};

/** What a tool server asks of people or of a model. */
export type ServerQuestion = Input | Sampling;

/** Those who say the same as a vote does, and of what happened that it came to the same: keys of voters. */
export function agreeing(votes: readonly Vote[], { kind, result }: Pick<Vote, 'kind' | 'result'>): ReadonlySet<string> {
  const same = votes.filter((one) => one.kind === kind && (one.result ?? result) === (result ?? one.result));
  return new Set(same.map(({ by, voter = by }) => voter));
}

/**
 * The vote that settled an approval; undefined while it takes votes. Whatever is no yes settles it at once; a yes does when as many as
 * are needed have said the same.
 */
export function decisionOn({ votes, votesNeeded }: Approval): Vote | undefined {
  return votes.find(({ kind, result }, index) => {
    if (kind !== 'approved' && kind !== 'run_again' && kind !== 'happened') return true;
    return (
      agreeing(votes.slice(0, index + 1), { kind, ...(result === undefined ? {} : { result }) }).size >= votesNeeded
    );
  });
}

/** A run, as far as this goes. */
type Interrupted = { readonly interrupts: Readonly<Record<string, Interrupt>> };

/** The interrupts of one kind, oldest first. */
export function interruptsOf<K extends Interrupt['kind']>(
  run: Interrupted | null,
  kind: K,
): Extract<Interrupt, { kind: K }>[] {
  return Object.values(run?.interrupts ?? {}).filter(
    (one): one is Extract<Interrupt, { kind: K }> => one.kind === kind,
  );
}

/** An approval of the run, open or settled; undefined if it has none of that id. */
export function approvalIn(run: Interrupted | null, id: string): Approval | undefined {
  const found = run?.interrupts[id];
  return found?.kind === 'approval' ? found : undefined;
}

/** What tool servers wait for, oldest first. */
export function serverQuestions(run: Interrupted | null): ServerQuestion[] {
  return Object.values(run?.interrupts ?? {}).filter((one): one is ServerQuestion => 'server' in one);
}
