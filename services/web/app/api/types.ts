/** What the gateway answers, as far as the app reads it. */
import type { ExactValue } from './exact-json.ts';

export type Identity = { readonly name: string; readonly claimed: boolean };

export type Vote = {
  readonly decision: string;
  readonly by: string;
  readonly claimed: boolean;
  readonly at: string;
};

export type Edit = {
  readonly by: string;
  readonly claimed: boolean;
  readonly said?: string;
  readonly replaces?: string;
  readonly tool_args_before: ExactValue;
};

export type AgentSource = {
  readonly repository?: string;
  readonly file_path?: string;
  readonly git_commit?: string;
  /** Somebody asked for this commit, and another one was synced. */
  readonly pinned?: boolean;
};

export type Approval = {
  readonly uuid: string;
  readonly conversation_id: string;
  readonly run_id: string;
  readonly kind: string;
  readonly tool_name: string;
  readonly server?: string;
  readonly node?: string;
  readonly agent_path?: readonly string[];
  readonly agents?: readonly string[];
  readonly agent_source?: AgentSource;
  readonly remote_agent_name?: string;
  readonly tool_args: ExactValue;
  readonly description: string;
  readonly description_cut?: boolean;
  readonly choices: readonly string[];
  readonly reason?: string;
  readonly status: string;
  readonly created_at: string;
  readonly expires_at?: string;
  readonly overdue?: boolean;
  readonly assignee?: Identity & { readonly assigned_by: Identity };
  readonly approvers?: readonly string[];
  readonly votes_needed?: number;
  readonly votes?: readonly Vote[];
  readonly separation_of_duties?: boolean;
  readonly on_expiry?: string;
  readonly edited?: Edit;
  readonly replaced_by?: string;
  readonly decision?: string;
  readonly decided_by_identity?: Identity;
  readonly decided_at?: string;
  readonly decision_reason?: string;
  readonly by_policy?: boolean;
  readonly said?: string;
};

export type Wait = { readonly kind: string; readonly name?: string; readonly since?: string; readonly text: string };

export type Paused = { readonly by?: string; readonly reason?: string; readonly at?: string };

export type Run = {
  readonly id: string;
  readonly status: string;
  readonly paused?: Paused;
  readonly agent_source?: AgentSource;
};

/** What a tool server or an agent asks people. */
export type PendingInput = {
  readonly id: string;
  readonly conversation_id: string;
  readonly mode: 'form' | 'url' | 'file';
  readonly server?: string;
  readonly agent?: string;
  readonly input_type?: string;
  readonly required?: boolean;
  readonly tool: string;
  readonly node?: string;
  readonly message: string;
  readonly requested_schema?: ExactValue;
  readonly url?: string;
  readonly choices: readonly string[];
  readonly requested_at: string;
  readonly expires_at?: string;
};

/** A page of what people are asked, over all conversations. */
export type InputPage = {
  readonly inputs: readonly PendingInput[];
  readonly next_cursor?: string;
  readonly total: number;
};

export type Conversation = {
  readonly id: string;
  readonly status: string;
  readonly title: string;
  readonly run?: Run;
  readonly waiting_for?: readonly Wait[];
  readonly pending_approvals: readonly Approval[];
  readonly pending_inputs?: readonly PendingInput[];
  readonly revision: number;
  readonly created_at: string;
  readonly updated_at: string;
};

export type ConversationPage = {
  readonly conversations: readonly Conversation[];
  readonly next_cursor?: string;
};

export type Counts = {
  readonly waiting: number;
  readonly overdue: number;
  readonly may_decide?: number;
  readonly assigned_to_me?: number;
};

/** What the answer to a request that starts or continues a run comes to, as far as it is looked at. */
export type TurnAnswer = {
  readonly error?: string;
  readonly conversation: Conversation;
  readonly result?: { readonly notice?: string };
};

export type Actor = {
  readonly kind: string;
  readonly id?: string;
  readonly claimed?: boolean;
  /** The way in, and who is signed in there. */
  readonly surface?: string;
  readonly principal?: string;
};

/** One event of a conversation. */
export type LogEvent = {
  readonly revision: number;
  readonly event_id: string;
  readonly time: string | null;
  readonly actor: Actor;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
};

/** A piece of an answer that a model is still writing. */
export type Delta = {
  readonly run_id: string;
  readonly step_id: string;
  readonly turn: number;
  readonly attempt: number;
  readonly offset: number;
  readonly text: string;
};

/** What became of an approval. */
export type ApprovalChange = {
  readonly change: string;
  readonly time: string | null;
  readonly actor: Actor;
  readonly approval: Approval;
};
