// Made by `npm run generate` from the description of the API. Do not edit it.
import type { ExactValue } from '../exact-json.ts';

export type Actor = {
  readonly kind: "user" | "approver" | "agent" | "system";
  readonly id: string;
  readonly claimed?: true;
  readonly surface?: string;
  readonly address?: string;
  readonly principal?: string;
};

export type Agent = {
  readonly name: string;
  readonly description: string;
  readonly version: string | null;
  readonly tags: readonly string[];
  readonly repository: string;
  readonly file_path: string;
  readonly is_namespaced: boolean;
  readonly git_commit: string;
  readonly last_modified: string | null;
  readonly definition_digest: string;
};

export type AgentSource = {
  readonly repository: string;
  readonly git_commit: string;
  readonly file_path: string;
  /** Somebody asked for this commit, and another one was synced */
  readonly pinned?: true;
};

export type Alarm = {
  readonly level: "warn" | "error";
  readonly message: string;
  /** What the last line said beside its message */
  readonly fields?: {
    readonly [name: string]: ExactValue;
  };
  /** How often it was written */
  readonly count: number;
  readonly first_at: string;
  readonly last_at: string;
  readonly service: string;
  readonly instance: string;
};

export type ApiKey = {
  readonly id: string;
  readonly name: string;
  /** How its text begins */
  readonly prefix: string;
  /** None: all that its user may */
  readonly scopes: readonly string[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
};

export type ApiKeyWithText = {
  readonly id: string;
  readonly name: string;
  /** How its text begins */
  readonly prefix: string;
  /** None: all that its user may */
  readonly scopes: readonly string[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
  /** Shown this once */
  readonly text: string;
};

export type Approval = {
  readonly uuid: string;
  readonly conversation_id: string;
  readonly run_id: string;
  readonly kind: "tool" | "delegation" | "proxy" | "in_doubt";
  readonly tool_name: string;
  readonly server: string;
  readonly node?: string;
  /** The agents that called one another down to this call */
  readonly agent_path?: readonly string[];
  readonly agent_source?: AgentSource;
  /** Exactly as they are sent */
  readonly tool_args: {
    readonly [name: string]: ExactValue;
  } | string;
  readonly description: string;
  readonly description_cut?: true;
  readonly choices: readonly string[];
  /** Why it is asked for */
  readonly reason?: string;
  readonly status: "pending" | "approved" | "rejected" | "expired" | "withdrawn";
  readonly remote_task_id?: string;
  readonly remote_agent_name?: string;
  readonly agents?: readonly string[];
  readonly created_at: string;
  readonly expires_at?: string;
  readonly overdue?: true;
  readonly assignee?: {
    readonly name: string;
    readonly claimed: boolean;
    readonly assigned_by: Identity;
    readonly assigned_at?: string;
  };
  readonly edited?: {
    readonly by: string;
    readonly claimed: boolean;
    readonly said?: string;
    /** The approval of the call as it was */
    readonly replaces: string;
    readonly tool_args_before: {
      readonly [name: string]: ExactValue;
    } | string;
  };
  readonly replaced_by?: string;
  /** E-mail addresses, group:NAME or role:NAME */
  readonly approvers?: readonly string[];
  readonly votes_needed?: number;
  readonly votes?: readonly {
    readonly decision: "approved" | "rejected" | "expired" | "withdrawn" | "run_again" | "happened" | "give_up";
    readonly by: string;
    readonly claimed: boolean;
    readonly entitled_by?: string;
    /** Of happened: of the result that was told */
    readonly result_sha256?: string;
    readonly at?: string;
  }[];
  /** Who asked for it does not decide it */
  readonly separation_of_duties?: true;
  readonly on_expiry?: "reject" | "leave";
  readonly remind_at?: readonly string[];
  readonly escalations?: readonly {
    readonly at?: string;
    readonly to: readonly string[];
  }[];
  readonly reminded?: number;
  readonly escalated?: number;
  readonly decision?: "approved" | "rejected" | "expired" | "withdrawn" | "run_again" | "happened" | "give_up";
  readonly decided_by?: string;
  readonly decided_by_identity?: Identity;
  /** Where it was said: rest, a2a, link, … */
  readonly decided_surface?: string;
  readonly decided_address?: string;
  readonly decided_at?: string;
  readonly by_policy?: true;
  /** The definition of the tool has changed since */
  readonly void?: true;
  readonly decision_reason?: string;
  readonly said?: string;
};

export type ApprovalEvent = {
  readonly change: "asked" | "voted" | "edited" | "assigned" | "reminded" | "escalated" | "settled";
  readonly time: string | null;
  readonly actor: Actor;
  readonly approval: Approval;
};

export type Blob = {
  /** SHA-256 of the bytes */
  readonly digest: string;
  readonly media_type: string;
  /** Bytes */
  readonly size: number;
  readonly name?: string;
};

export type Busy = {
  readonly error: "conversation is busy";
  readonly run: Run;
  readonly conversation: Conversation;
};

export type Commit = {
  readonly hash: string;
  readonly message: string;
  readonly author: string;
  readonly timestamp: string | null;
  readonly changed_files: readonly string[];
};

export type Connection = {
  readonly server: string;
  readonly connected: boolean;
  /** What the authorization server calls itself */
  readonly issuer?: string;
  readonly scopes?: readonly string[];
  readonly connected_at?: string;
  /** Why it is not connected any more, if the authorization server said so */
  readonly problem?: string;
};

export type Conversation = {
  readonly id: string;
  readonly session_id?: string;
  readonly context_id: string;
  readonly status: "active" | "waiting_approval" | "completed";
  readonly title: string;
  /** The latest one; absent before the first message */
  readonly run?: Run;
  /** All that the run waits for, people first */
  readonly waiting_for?: readonly Wait[];
  /** Absent where they were not asked for */
  readonly messages?: readonly Message[];
  readonly message_count: number;
  /** The oldest one */
  readonly pending_approval?: Approval;
  readonly pending_approvals: readonly Approval[];
  /** Of very many, which are not all shown here */
  readonly pending_approvals_total?: number;
  /** Of the node that waits longest */
  readonly pipeline_state?: PipelineState;
  readonly pipeline_states?: readonly PipelineState[];
  readonly pending_inputs?: readonly PendingInput[];
  readonly standing_approvals?: readonly StandingApproval[];
  readonly auth_prompt?: string;
  readonly revision: number;
  readonly created_at: string;
  readonly updated_at: string;
};

export type ConversationEvent = {
  readonly revision: number;
  readonly event_id: string;
  readonly time: string | null;
  readonly actor: Actor;
  /** Name of the fact, and of the event; unknown: a newer release wrote it */
  readonly type: "conversation_created" | "user_message_received" | "run_started" | "run_claimed" | "run_released" | "step_started" | "model_responded" | "model_failed" | "approval_requested" | "approval_resolved" | "input_requested" | "input_provided" | "tool_call_started" | "tool_call_finished" | "tool_call_in_doubt" | "tool_call_refused" | "delegation_started" | "delegation_updated" | "delegation_finished" | "state_set" | "step_finished" | "run_completed" | "run_failed" | "run_canceled" | "delegation_requested" | "delegation_asked" | "delegation_answered" | "input_withdrawn" | "model_answered_nothing" | "push_configured" | "push_removed" | "push_claimed" | "push_attempted" | "push_released" | "agent_defined" | "toolset_defined" | "tool_defined" | "tool_server_met" | "tools_accepted" | "policy_defined" | "standing_approval_granted" | "standing_approval_revoked" | "approval_voted" | "approval_reminded" | "approval_escalated" | "call_edited" | "approval_assigned" | "user_created" | "user_changed" | "user_signed_in" | "api_key_issued" | "api_key_revoked" | "api_key_used" | "link_made" | "repository_added" | "repository_changed" | "repository_synced" | "repository_sync_failed" | "repository_removed" | "repository_listed" | "repository_unlisted" | "agent_called" | "agent_returned" | "step_reminded" | "memory_saved" | "memory_removed" | "run_data_written" | "run_data_deleted" | "step_canceled" | "run_paused" | "run_resumed" | "account_connected" | "token_refresh_begun" | "tokens_refreshed" | "account_disconnected" | "unknown";
  /** The fact, as facts.proto describes it */
  readonly payload: {
    readonly [name: string]: ExactValue;
  } | null;
};

export type DeltaEvent = {
  readonly run_id: string;
  readonly step_id: string;
  readonly turn: number;
  readonly attempt: number;
  /** Where the text goes in the answer */
  readonly offset: number;
  readonly text: string;
};

export type ErrorAnswer = {
  /** What is wrong, and what to do */
  readonly error: string;
  /** Of a defect: the log says more under it */
  readonly error_id?: string;
  /** Which of several causes it is, as a word */
  readonly reason?: string;
  readonly choices?: readonly string[];
  /** What was decided before */
  readonly decision?: "approved" | "rejected" | "expired" | "withdrawn" | "run_again" | "happened" | "give_up";
  readonly decided_by?: string;
  readonly decided_by_identity?: Identity;
  readonly decided_at?: string;
  /** Of voted: how many more have to say yes */
  readonly missing?: string;
  /** What became of a question */
  readonly how?: string;
  /** Who settled it */
  readonly by?: string;
  /** When */
  readonly at?: string;
  readonly why?: string;
  /** Of a run that does not go on: how it stands */
  readonly status?: string;
  /** The member that is wrong */
  readonly field?: string;
  /** Of exists: who has it */
  readonly user_id?: string;
  /** Of revision: the one that it has */
  readonly revision?: string;
  /** Of disk_full: nothing */
  readonly recorded?: string;
  /** Of pin_changed: the one that the tool has */
  readonly pin?: string;
};

export type HeldTool = {
  readonly server: string;
  readonly name: string;
  readonly state: "new" | "changed";
  readonly pin: string;
  readonly accepted_pin?: string;
  readonly destructiveHint: boolean;
  readonly changes: readonly {
    readonly path: string;
    readonly before?: string;
    readonly after?: string;
  }[];
  readonly definition?: {
    readonly [name: string]: ExactValue;
  };
  readonly accepted_definition?: {
    readonly [name: string]: ExactValue;
  };
};

export type Hint = {
  readonly value: boolean;
  readonly from: "annotations" | "top_level" | "read_only" | "configuration" | "default";
};

export type Identity = {
  readonly name: string;
  /** It is what they said themselves */
  readonly claimed: boolean;
};

export type Memory = {
  readonly key: string;
  readonly agent: string;
  readonly value: ExactValue;
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly saved_at: string;
  readonly saved_by: {
    readonly kind: string;
    readonly id: string;
    readonly claimed: boolean;
  };
  readonly conversation_id: string | null;
  readonly run_id: string | null;
  readonly step_id: string | null;
  readonly revision: number;
};

export type Message = {
  readonly id: string;
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
  /** The node of the tree that said it */
  readonly node?: string;
  readonly tool_call?: ToolCall;
  readonly created_at: string;
};

export type PendingInput = {
  readonly id: string;
  readonly conversation_id: string;
  readonly mode: "form" | "url" | "file";
  readonly server?: string;
  readonly agent?: string;
  readonly input_type?: "text" | "choice" | "approval" | "structured_data" | "file";
  readonly required?: boolean;
  readonly tool: string;
  readonly node?: string;
  readonly call_id: string;
  readonly message: string;
  /** JSON Schema of the values of a form */
  readonly requested_schema?: ExactValue;
  /** Where to go, of mode url */
  readonly url?: string;
  readonly choices: readonly ("accept" | "decline" | "cancel")[];
  readonly requested_at: string;
  readonly expires_at?: string;
};

export type PipelineState = {
  /** Places of the children on the way to the node */
  readonly paused_node_path: readonly number[];
  readonly paused_node_output_key: string;
  readonly session_state: {
    readonly [name: string]: string;
  };
  readonly user_message: string;
  readonly node: string;
  readonly step_id: string;
  readonly approvals: readonly string[];
};

export type PushConfig = {
  readonly id: string;
  readonly url?: string;
  readonly protocol_version?: string;
  /** In the place of an address: a webhook of the configuration */
  readonly webhook?: string;
  readonly authentication?: {
    readonly scheme: string;
  };
  readonly status: "ok" | "failing" | "given_up";
  readonly created_at?: string;
  readonly deliveries: number;
  readonly delivered_at?: string;
  readonly through_revision: number;
  readonly failures: number;
  readonly failure?: string;
  readonly failed_at?: string;
};

export type Repository = {
  readonly name: string;
  readonly git_url: string;
  readonly branch: string;
  readonly is_root: boolean;
  readonly is_active: boolean;
  readonly read_only: true;
  readonly sync_interval: string;
  readonly auth_type: string;
  readonly takes_webhooks: boolean;
  /** It is one of the configuration */
  readonly is_configured: boolean;
  readonly worktree: boolean;
  readonly last_sync_status: "NEVER_SYNCED" | "IN_PROGRESS" | "SUCCESS" | "FAILED";
  readonly last_sync_commit: string | null;
  readonly last_sync_at: string | null;
  readonly last_failure: {
    readonly message: string;
    readonly error_type: string;
    readonly timestamp: string | null;
  } | null;
  readonly agent_count: number;
  readonly sync_errors: readonly {
    readonly message: string;
    readonly file_path: string;
    readonly line: number | null;
    readonly column: number | null;
    readonly error_type: string;
    readonly timestamp: string | null;
  }[];
  readonly sync_error_count: number;
};

export type Result = {
  readonly response: string;
  readonly waiting_approval: boolean;
  readonly approval?: Approval;
  readonly approvals: readonly Approval[];
  readonly auth_required: boolean;
  readonly input_required?: true;
  readonly inputs?: readonly PendingInput[];
  readonly error?: string;
  /** What became of a message that was not stored */
  readonly notice?: string;
};

export type Run = {
  readonly id: string;
  readonly status: "working" | "waiting" | "completed" | "failed" | "canceled";
  readonly paused?: {
    readonly by?: string;
    readonly reason?: string;
    readonly at?: string;
    /** At a limit: the agent that has used what it may */
    readonly agent?: string;
    /** At a limit: what of it is used up, and so needs a new limit if a resume names any */
    readonly reached?: {
      readonly max_tokens?: {
        readonly used: number;
        readonly most: number;
      };
      readonly max_cost?: {
        readonly used: number;
        readonly most: number;
      };
      readonly max_agent_calls?: {
        readonly used: number;
        readonly most: number;
      };
    };
  };
  readonly usage?: Usage;
  readonly agent_source?: AgentSource;
};

export type SettledTurn = {
  /** The message was not taken, or the run failed */
  readonly error?: string;
  readonly conversation: Conversation;
  readonly result?: Result;
};

export type SharedWait = {
  /** People: pause, approval, input, auth. Else model, agent, tool_server, tool_bridge, tool_turn, registry */
  readonly kind: string;
  readonly name?: string;
  readonly since?: string;
  readonly next_try_at?: string;
  readonly reason?: string;
  /** All of it as a sentence */
  readonly text: string;
  /** How many runs wait for it */
  readonly runs: number;
  /** Theirs, those that wait longest first, ten at most */
  readonly conversation_ids: readonly string[];
};

export type StandingApproval = {
  readonly id: string;
  readonly approval_id: string;
  readonly server?: string;
  readonly tool: string;
  readonly arguments: "same" | "any";
  readonly granted_by: string;
  readonly granted_at?: string;
};

export type Step = {
  readonly id: string;
  readonly agent: string;
  /** The step of the agent that called it */
  readonly parent?: string;
  readonly state: "WORKING" | "BLOCKED_ON_INPUT" | "BLOCKED_ON_DEPENDENCY" | "COMPLETED" | "FAILED" | "CANCELED";
  readonly waits_for?: readonly {
    readonly kind: "agent" | "approval" | "in_doubt" | "input" | "auth";
    readonly id: string;
  }[];
  readonly error?: string;
  readonly ended_by?: "person" | "time" | "limit";
  /** Its task */
  readonly input: string;
  readonly completion?: {
    readonly status: "SUCCESS" | "PARTIAL" | "FAILED";
    readonly result: string;
    readonly confidence?: number;
    readonly requires_followup: boolean;
  };
  readonly agent_source?: AgentSource;
  readonly usage: Usage;
  readonly turns: number;
  readonly tool_calls: number;
  readonly agent_calls: number;
  /** How much people let it use in all, where that is not what its file says */
  readonly limits?: {
    readonly max_tokens?: number;
    readonly max_cost?: number;
    readonly max_agent_calls?: number;
  };
  readonly shared_keys?: readonly string[];
  readonly started_at: string;
  readonly ended_at?: string;
};

export type Tool = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments */
  readonly inputSchema: {
    readonly [name: string]: ExactValue;
  };
  /** Calls wait for an approval */
  readonly destructiveHint: boolean;
  /** So do all calls of it */
  readonly approval?: "require";
  readonly annotations?: {
    readonly [name: string]: ExactValue;
  };
  /** What holds in the end, and where it comes from */
  readonly hints?: {
    readonly readOnlyHint: Hint;
    readonly destructiveHint: Hint;
    readonly idempotentHint: Hint;
    readonly openWorldHint: Hint;
  };
  /** SHA-256 of the definition */
  readonly pin?: string;
  readonly pin_state?: "first_use" | "accepted" | "new" | "changed";
  /** Absent of another agent */
  readonly server?: string;
  /** What its server calls it, if that is another name */
  readonly own_name?: string;
};

export type ToolCall = {
  readonly name: string;
  /** null of a result; a text if it is not JSON */
  readonly arguments: {
    readonly [name: string]: ExactValue;
  } | string | null;
  /** Of a result */
  readonly result?: string;
  readonly is_error?: boolean;
  readonly blobs?: readonly Blob[];
  /** What the tool returned as JSON beside the text */
  readonly structured_content?: ExactValue;
  /** A rule, and no person, let it run */
  readonly auto_approved?: true;
};

export type ToolServer = {
  readonly name: string;
  readonly bridge: string;
  readonly transport: string;
  readonly address: string;
  readonly state: "starting" | "ready" | "not_offered" | "degraded" | "backoff" | "crash_loop" | "quarantined" | "stopped" | "unknown";
  readonly since: string;
  readonly reason?: string;
  readonly retry_after_ms?: number;
  readonly last_error?: {
    readonly text: string;
    readonly at: string;
  };
  readonly protocol?: {
    readonly era: string;
    readonly version: string;
  };
  readonly restarts: number;
  readonly tools: number;
  readonly tools_held: number;
  readonly tools_deselected: number;
  readonly instructions?: "first_use" | "accepted" | "new" | "changed";
  readonly identity?: string;
  readonly pins_strict: boolean;
  readonly left_out: readonly {
    readonly name: string;
    readonly reason: string;
  }[];
  readonly problems: readonly string[];
  readonly calls: {
    readonly running: number;
    readonly waiting: number;
    readonly at_once: number;
  };
};

export type Usage = {
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** In nano-dollars; absent where no price is known */
  readonly cost_nano_usd?: number;
  /** Answers whose price is not known; absent: none */
  readonly unpriced_answers?: number;
};

export type User = {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: "USER" | "ADMIN" | "SUPER_ADMIN";
  readonly active: boolean;
  readonly groups: readonly string[];
  readonly created_at: string;
  readonly last_login_at: string | null;
};

export type Wait = {
  /** People: pause, approval, input, auth. Else model, agent, tool_server, tool_bridge, tool_turn, registry */
  readonly kind: string;
  readonly name?: string;
  readonly since?: string;
  readonly next_try_at?: string;
  readonly reason?: string;
  /** All of it as a sentence */
  readonly text: string;
};

export type WorkingTurn = {
  readonly conversation: Conversation;
  readonly run: Run;
};

/** What may be asked for that is answered with JSON, by its method and path: what goes into it, and what comes of it. */
export interface Operations {
  /** Health check */
  "GET /health": {
    readonly answer: {
      readonly status: "ok" | "degraded";
      /** Of degraded: why */
      readonly reason?: string;
    };
  };
  /** List tools */
  "GET /tools": {
    readonly answer: {
      readonly tools: readonly Tool[];
    };
  };
  /** List tool servers */
  "GET /mcp/servers": {
    readonly answer: {
      readonly servers: readonly ToolServer[];
      readonly bridges: readonly {
        readonly instance?: string;
        readonly address?: string;
        readonly answers: boolean;
      }[];
    };
  };
  /** List what somebody should look at */
  "GET /alarms": {
    readonly answer: {
      readonly alarms: readonly Alarm[];
      readonly processes: readonly {
        readonly service: string;
        readonly address?: string;
        readonly instance?: string;
        readonly answers: boolean;
      }[];
    };
  };
  /** List what runs wait for */
  "GET /waits": {
    readonly answer: {
      readonly waits: readonly SharedWait[];
    };
  };
  /** This description */
  "GET /docs/json": {
    readonly answer: {
      readonly title: string;
      readonly description: string;
      readonly version: string;
      readonly endpoints: readonly {
        readonly method: string;
        readonly path: string;
        readonly summary: string;
        readonly description: string;
        readonly request?: {
          readonly content_type: string;
          readonly schema: {
            readonly [name: string]: {
              readonly type: string;
              readonly description: string;
              readonly required: boolean;
            };
          };
          readonly example: ExactValue;
        };
        readonly responses: {
          readonly [name: string]: {
            readonly description: string;
            readonly example: ExactValue;
          };
        };
      }[];
    };
  };
  /** This description as OpenAPI */
  "GET /openapi.json": {
    readonly answer: {
      readonly [name: string]: ExactValue;
    };
  };
  /** Tools that nobody has accepted */
  "GET /tools/held": {
    readonly answer: {
      readonly tools: readonly HeldTool[];
    };
  };
  /** Accept tools */
  "POST /tools/accept": {
    readonly body: {
      /** The tools: server, name and pin of each */
      readonly tools: readonly {
        readonly server: string;
        readonly name: string;
        readonly pin: string;
      }[];
      /** Who accepts them */
      readonly by?: string | null;
    };
    readonly answer: {
      readonly accepted: readonly {
        readonly server: string;
        readonly name: string;
        readonly pin: string;
      }[];
    };
  };
  /** Connected accounts */
  "GET /connections": {
    readonly answer: {
      readonly connections: readonly Connection[];
    };
  };
  /** Finish connecting an account */
  "POST /connections": {
    readonly body?: {
      /** As it came back */
      readonly state?: string | null;
      /** As it came back */
      readonly code?: string | null;
      /** As it came back, if it did */
      readonly iss?: string | null;
      /** As it came back in place of a code */
      readonly error?: string | null;
    };
    readonly answer: {
      readonly server: string;
      readonly connected: true;
    };
  };
  /** Begin to connect an account */
  "POST /connections/{server}": {
    readonly path: { readonly server: string };
    readonly body?: {
      /** Where the browser is led back to: a page of this platform, or an http address of the machine that the user sits at. Left out: a page of the gateway */
      readonly redirect_uri?: string | null;
    };
    readonly answer: {
      /** For its user to open */
      readonly url: string;
      readonly expires_at: string;
    };
  };
  /** Disconnect an account */
  "DELETE /connections/{server}": {
    readonly path: { readonly server: string };
    readonly answer: {
      readonly server: string;
      readonly was_connected: boolean;
    };
  };
  /** What an agent remembers */
  "GET /agents/{name}/memories": {
    readonly path: { readonly name: string };
    readonly query?: {
      /** Words, each of which the key or the value holds */
      readonly query?: string;
      /** Items of a page */
      readonly limit?: number;
      /** next_cursor of the page before */
      readonly cursor?: string;
    };
    readonly answer: {
      readonly memories: readonly Memory[];
      /** For the next page; absent on the last one */
      readonly next_cursor?: string;
      readonly total: number;
    };
  };
  /** What an agent remembers under a key */
  "GET /agents/{name}/memories/{key}": {
    readonly path: { readonly name: string; readonly key: string };
    readonly answer: {
      readonly memory: Memory;
    };
  };
  /** Save something in the memory of an agent */
  "PUT /agents/{name}/memories/{key}": {
    readonly path: { readonly name: string; readonly key: string };
    readonly body: {
      /** What is to be remembered. */
      readonly value: ExactValue;
      /** When it is to be forgotten; absent: never. */
      readonly expires_at?: string | null;
    };
    readonly answer: {
      readonly memory: Memory;
    };
  };
  /** Have an agent forget something */
  "DELETE /agents/{name}/memories/{key}": {
    readonly path: { readonly name: string; readonly key: string };
    readonly answer: {
      readonly removed: string;
    };
  };
  /** Repositories of agents */
  "GET /repositories": {
    readonly answer: {
      readonly repositories: readonly Repository[];
    };
  };
  /** Add a repository */
  "POST /repositories": {
    readonly body?: {
      /** A letter, and then letters, digits, _ or -. */
      readonly name?: string | null;
      /** As git_url of the configuration. */
      readonly git_url?: string | null;
      /** Its agents have no namespace. */
      readonly is_root?: boolean | null;
      /** The branch that agents are taken from; main unless named. */
      readonly branch?: string | null;
      /** How long after one look the next is taken: 1s to 24h. */
      readonly sync_interval?: string | null;
      /** It is looked at, and its agents can be found. */
      readonly is_active?: boolean | null;
      /** none, token or ssh-key. */
      readonly auth_type?: string | null;
      /** For token: an access token. */
      readonly auth_token?: string | null;
      /** For ssh-key: a private key without a passphrase. */
      readonly ssh_key?: string | null;
      /** Secret of its webhooks; null: none are taken. */
      readonly webhook_secret?: string | null;
    };
    readonly answer: {
      readonly repository: Repository | null;
    };
  };
  /** Change a repository */
  "PATCH /repositories/{name}": {
    readonly path: { readonly name: string };
    readonly body?: {
      /** The branch that agents are taken from; main unless named. */
      readonly branch?: string | null;
      /** How long after one look the next is taken: 1s to 24h. */
      readonly sync_interval?: string | null;
      /** It is looked at, and its agents can be found. */
      readonly is_active?: boolean | null;
      /** none, token or ssh-key. */
      readonly auth_type?: string | null;
      /** For token: an access token. */
      readonly auth_token?: string | null;
      /** For ssh-key: a private key without a passphrase. */
      readonly ssh_key?: string | null;
      /** Secret of its webhooks; null: none are taken. */
      readonly webhook_secret?: string | null;
    };
    readonly answer: {
      readonly repository: Repository | null;
    };
  };
  /** Remove a repository */
  "DELETE /repositories/{name}": {
    readonly path: { readonly name: string };
    readonly answer: undefined;
  };
  /** Sync a repository now */
  "POST /repositories/{name}/sync": {
    readonly path: { readonly name: string };
    readonly answer: {
      readonly repository: Repository | null;
    };
  };
  /** A webhook of the host of a repository */
  "POST /repositories/{name}/webhook": {
    readonly path: { readonly name: string };
    readonly answer: {
      readonly syncs: boolean;
      readonly reason?: string;
    };
  };
  /** Branches and tags of a repository */
  "GET /repositories/{name}/branches": {
    readonly path: { readonly name: string };
    readonly answer: {
      readonly branches: readonly {
        readonly name: string;
        readonly git_commit: string;
        readonly timestamp: string | null;
      }[];
      readonly tags: readonly {
        readonly name: string;
        readonly git_commit: string;
        readonly timestamp: string | null;
      }[];
      readonly more: boolean;
    };
  };
  /** Agents of repositories */
  "GET /agents": {
    readonly query?: {
      readonly repository?: string;
      /** Words, each of which name, description or tags hold */
      readonly q?: string;
      /** Items of a page */
      readonly limit?: number;
      /** next_cursor of the page before */
      readonly cursor?: string;
    };
    readonly answer: {
      readonly agents: readonly Agent[];
      /** For the next page; absent on the last one */
      readonly next_cursor?: string;
      readonly total: number;
    };
  };
  /** One agent */
  "GET /agents/{name}": {
    readonly path: { readonly name: string };
    readonly query?: {
      /** A commit, a branch or a tag */
      readonly commit?: string;
      /** How many of the latest commits are shown */
      readonly history?: number;
    };
    readonly answer: {
      readonly agent: Agent;
      /** As the platform works with it */
      readonly definition: ExactValue;
      readonly history?: readonly Commit[];
    };
  };
  /** Commits that changed an agent */
  "GET /agents/{name}/history": {
    readonly path: { readonly name: string };
    readonly query?: {
      /** A commit, a branch or a tag */
      readonly commit?: string;
      readonly limit?: number;
    };
    readonly answer: {
      readonly history: readonly Commit[];
    };
  };
  /** What differs in an agent between two commits */
  "GET /agents/{name}/diff": {
    readonly path: { readonly name: string };
    readonly query?: {
      /** A commit, a branch or a tag */
      readonly from?: string;
      /** A commit, a branch or a tag */
      readonly to?: string;
    };
    readonly answer: {
      readonly repository: string;
      readonly from: {
        readonly git_commit: string;
        readonly file_path: string;
      } | null;
      readonly to: {
        readonly git_commit: string;
        readonly file_path: string;
      };
      /** In the unified format */
      readonly patch: string;
    };
  };
  /** Create a conversation */
  "POST /conversations": {
    readonly body?: {
      /** A first message to process at once, at most 64 KiB of UTF-8 unless configured otherwise */
      readonly message?: string | null;
      /** The agent from git that is to answer; without it the configured one. */
      readonly agent?: string | null;
      /** With a message: the commit, branch or tag at which an agent from git is taken for its run; without it as it is now. Where people sign in, another commit than the one that is synced is for administrators. */
      readonly git_commit?: string | null;
      /** With a message: how many agents from git may call one below another in its run, its own counted as the first; at most, and without it, as many as the configuration says. */
      readonly max_call_depth?: number | null;
    };
    readonly answer: SettledTurn | WorkingTurn;
  };
  /** List conversations */
  "GET /conversations": {
    readonly query?: {
      readonly status?: "active" | "waiting_approval" | "completed";
      /** Words to search for */
      readonly q?: string;
      /** With their messages; a page may then end early */
      readonly include?: "messages";
      /** Items of a page */
      readonly limit?: number;
      /** next_cursor of the page before */
      readonly cursor?: string;
    };
    readonly answer: {
      readonly conversations: readonly Conversation[];
      readonly summary: {
        readonly total: number;
        readonly active: number;
        readonly waiting_approval: number;
        readonly completed: number;
      };
      /** For the next page; absent on the last one */
      readonly next_cursor?: string;
      /** Place in the log as of which this is */
      readonly position: number;
    };
  };
  /** Get a conversation */
  "GET /conversations/{id}": {
    readonly path: { readonly id: string };
    readonly query?: {
      /** As it stood at that event */
      readonly revision?: number;
    };
    readonly answer: {
      readonly conversation: Conversation;
    };
  };
  /** Send a message */
  "POST /conversations/{id}/messages": {
    readonly path: { readonly id: string };
    readonly body: {
      /** The message, at most 64 KiB of UTF-8 unless configured otherwise */
      readonly message: string;
      /** With a message: the commit, branch or tag at which an agent from git is taken for its run; without it as it is now. Where people sign in, another commit than the one that is synced is for administrators. */
      readonly git_commit?: string | null;
      /** With a message: how many agents from git may call one below another in its run, its own counted as the first; at most, and without it, as many as the configuration says. */
      readonly max_call_depth?: number | null;
    };
    readonly answer: SettledTurn | WorkingTurn;
  };
  /** Cancel the run */
  "POST /conversations/{id}/cancel": {
    readonly path: { readonly id: string };
    readonly body?: {
      /** Why, at most 1 KiB */
      readonly reason?: string | null;
    };
    readonly answer: SettledTurn;
  };
  /** Answer a tool server, or an agent */
  "POST /conversations/{id}/inputs/{input}": {
    readonly path: { readonly id: string; readonly input: string };
    readonly body: {
      /** accept, decline or cancel */
      readonly action: "accept" | "decline" | "cancel";
      /** With accept of a form: the values that requested_schema describes */
      readonly content?: {
        readonly [name: string]: ExactValue;
      };
      /** With accept where mode is file: name, media_type, and the bytes as base64 */
      readonly file?: {
        readonly name?: string | null;
        readonly media_type?: string | null;
        readonly base64: string;
      } | null;
      /** Who answers, 1 to 128 printable characters */
      readonly by?: string | null;
    };
    readonly answer: SettledTurn | WorkingTurn;
  };
  /** Verify the record of a conversation */
  "GET /conversations/{id}/verification": {
    readonly path: { readonly id: string };
    readonly answer: {
      readonly sound: boolean;
      readonly events: number;
      readonly problems: readonly string[];
      /** It stands for all events until then */
      readonly head?: {
        readonly stream: string;
        readonly revision: number;
        readonly hash: string;
      };
      readonly verified_at: string;
    };
  };
  /** Export a conversation */
  "GET /conversations/{id}/export": {
    readonly path: { readonly id: string };
    readonly answer: {
      readonly stream: string;
      readonly conversation: Conversation;
      readonly events: readonly {
        readonly revision: number;
        readonly event_id: string;
        readonly at: string;
        readonly actor: Actor;
        readonly type: string;
        readonly value: {
          readonly [name: string]: ExactValue;
        };
        /** The bytes that the hash is of */
        readonly envelope_base64: string;
        readonly hash: string;
      }[];
    };
  };
  /** List what people are asked */
  "GET /inputs": {
    readonly query?: {
      /** What waits for an answer: all that is listed */
      readonly status?: "pending";
      /** Items of a page */
      readonly limit?: number;
      /** next_cursor of the page before */
      readonly cursor?: string;
    };
    readonly answer: {
      readonly inputs: readonly PendingInput[];
      /** For the next page; absent on the last one */
      readonly next_cursor?: string;
      /** How many wait in all; 10000 stands for that many or more */
      readonly total: number;
    };
  };
  /** Who is told of a conversation */
  "GET /conversations/{id}/push": {
    readonly path: { readonly id: string };
    readonly answer: {
      readonly configs: readonly PushConfig[];
    };
  };
  /** List approvals */
  "GET /approvals": {
    readonly query?: {
      readonly status?: "pending" | "approved" | "rejected" | "expired" | "withdrawn";
      /** Id of a conversation */
      readonly conversation?: string;
      /** * stands for any characters, ? for one */
      readonly tool?: string;
      readonly server?: string;
      readonly node?: string;
      /** Name of the agent of the conversation */
      readonly agent?: string;
      readonly requested_before?: string;
      /** What waits longer than it should */
      readonly overdue?: "true";
      /** What whoever is signed in may decide */
      readonly may_decide?: "me";
      /** me, none, an e-mail address, or a claimed name */
      readonly assignee?: string;
      /** Items of a page */
      readonly limit?: number;
      /** next_cursor of the page before */
      readonly cursor?: string;
    };
    readonly answer: {
      readonly approvals: readonly Approval[];
      /** For the next page; absent on the last one */
      readonly next_cursor?: string;
    };
  };
  /** Count what waits */
  "GET /approvals/counts": {
    readonly answer: {
      readonly counts: {
        readonly waiting: number;
        /** Of whoever is signed in */
        readonly may_decide?: number;
        readonly overdue: number;
        /** Of whoever is signed in, or sends a name */
        readonly assigned_to_me?: number;
      };
    };
  };
  /** Get an approval */
  "GET /approvals/{uuid}": {
    readonly path: { readonly uuid: string };
    readonly answer: {
      readonly approval: Approval;
    };
  };
  /** Approve or reject */
  "POST /approvals/{uuid}": {
    readonly path: { readonly uuid: string };
    readonly body?: {
      /** True approves, false rejects */
      readonly approved?: boolean;
      /** The decision as a word */
      readonly action?: string;
      /** The decision as a word */
      readonly answer?: string;
      /** With the action happened: what came of the call, at most 256 KiB */
      readonly result?: string | null;
      /** Why, at most 4 KiB; a model whose call is rejected is told, and goes on */
      readonly reason?: string | null;
      /** With an approval: the arguments that the call is to have, at most 64 KiB; checked against the schema of its tool */
      readonly arguments?: {
        readonly [name: string]: ExactValue;
      };
      /** Who decides, 1 to 128 printable characters; X-Approver says the same */
      readonly by?: string;
    };
    readonly answer: SettledTurn | {
      readonly approval: Approval;
    } | WorkingTurn;
  };
  /** Decide on many */
  "POST /approvals/decide": {
    readonly body: {
      /** Each has uuid, and what the body of a single decision has */
      readonly decisions: readonly {
        readonly uuid: string;
        /** True approves, false rejects */
        readonly approved?: boolean;
        /** The decision as a word */
        readonly action?: string;
        /** The decision as a word */
        readonly answer?: string;
        /** With the action happened: what came of the call, at most 256 KiB */
        readonly result?: string | null;
        /** Why, at most 4 KiB; a model whose call is rejected is told, and goes on */
        readonly reason?: string | null;
        /** Who decides, 1 to 128 printable characters; X-Approver says the same */
        readonly by?: string;
      }[];
      /** Who decides, where a decision does not say it */
      readonly by?: string;
    };
    readonly answer: {
      readonly results: readonly ({
        readonly uuid: string;
        readonly status: 200;
        readonly approval?: Approval;
      } | {
        /** What is wrong, and what to do */
        readonly error: string;
        /** Of a defect: the log says more under it */
        readonly error_id?: string;
        /** Which of several causes it is, as a word */
        readonly reason?: string;
        readonly choices?: readonly string[];
        /** What was decided before */
        readonly decision?: "approved" | "rejected" | "expired" | "withdrawn" | "run_again" | "happened" | "give_up";
        readonly decided_by?: string;
        readonly decided_by_identity?: Identity;
        readonly decided_at?: string;
        /** Of voted: how many more have to say yes */
        readonly missing?: string;
        /** What became of a question */
        readonly how?: string;
        /** Who settled it */
        readonly by?: string;
        /** When */
        readonly at?: string;
        readonly why?: string;
        readonly status: number;
        /** The member that is wrong */
        readonly field?: string;
        /** Of exists: who has it */
        readonly user_id?: string;
        /** Of revision: the one that it has */
        readonly revision?: string;
        /** Of disk_full: nothing */
        readonly recorded?: string;
        /** Of pin_changed: the one that the tool has */
        readonly pin?: string;
        readonly uuid: string;
      })[];
    };
  };
  /** Assign an approval */
  "POST /approvals/{uuid}/assign": {
    readonly path: { readonly uuid: string };
    readonly body: {
      /** me, or the e-mail address of a user; where nobody signs in, a name, which is a claim */
      readonly to: string;
      /** Who says so, 1 to 128 printable characters; X-Approver says the same */
      readonly by?: string | null;
    };
    readonly answer: {
      readonly approval: Approval;
    };
  };
  /** Assign an approval to nobody */
  "POST /approvals/{uuid}/unassign": {
    readonly path: { readonly uuid: string };
    readonly body?: {
      /** Who says so, 1 to 128 printable characters; X-Approver says the same */
      readonly by?: string | null;
    };
    readonly answer: {
      readonly approval: Approval;
    };
  };
  /** List the agents of a run */
  "GET /runs/{id}/steps": {
    readonly path: { readonly id: string };
    readonly answer: {
      readonly run?: {
        readonly id: string;
        readonly status: "none" | "working" | "waiting" | "completed" | "failed" | "canceled";
      };
      readonly steps: readonly Step[];
    };
  };
  /** Pause a run */
  "POST /runs/{id}/pause": {
    readonly path: { readonly id: string };
    readonly body?: {
      /** Why, at most 1 KiB */
      readonly reason?: string | null;
    };
    readonly answer: SettledTurn | WorkingTurn;
  };
  /** Resume a paused run */
  "POST /runs/{id}/resume": {
    readonly path: { readonly id: string };
    readonly body?: {
      /** At a limit of an agent: how much it may use in all of its work, from the beginning, with all that it calls. What is not named stays as it is. Without it, as much again of everything. */
      readonly limits?: {
        /** Tokens of its models */
        readonly max_tokens?: number | null;
        /** US dollars that its models cost */
        readonly max_cost?: number | null;
        /** Calls of agents; at most what agent_execution.max_agent_calls says */
        readonly max_agent_calls?: number | null;
      } | null;
    };
    readonly answer: SettledTurn | WorkingTurn;
  };
  /** Cancel a step of a run */
  "POST /runs/{id}/steps/{step}/cancel": {
    readonly path: { readonly id: string; readonly step: string };
    readonly body?: {
      /** Why, at most 1 KiB */
      readonly reason?: string | null;
    };
    readonly answer: SettledTurn | WorkingTurn;
  };
  /** Approve the like of a call */
  "POST /approvals/{uuid}/standing": {
    readonly path: { readonly uuid: string };
    readonly body: {
      /** same, or any */
      readonly arguments: "same" | "any";
      /** Who decides, 1 to 128 printable characters; X-Approver says the same */
      readonly by?: string | null;
    };
    readonly answer: {
      readonly conversation: Conversation;
    };
  };
  /** Take it back */
  "POST /conversations/{id}/standing/{standing}/revoke": {
    readonly path: { readonly id: string; readonly standing: string };
    readonly body?: {
      /** Who decides, 1 to 128 printable characters; X-Approver says the same */
      readonly by?: string | null;
    };
    readonly answer: {
      readonly conversation: Conversation;
    };
  };
  /** Who you are here */
  "GET /me": {
    readonly answer: {
      readonly user: User | null;
      readonly may?: string;
      readonly via?: string;
      readonly scopes?: readonly string[];
    };
  };
  /** Users */
  "GET /users": {
    readonly query?: {
      /** Items of a page */
      readonly limit?: number;
      /** next_cursor of the page before */
      readonly cursor?: string;
    };
    readonly answer: {
      readonly users: readonly User[];
      readonly total: number;
      /** For the next page; absent on the last one */
      readonly next_cursor?: string;
    };
  };
  /** Create a user */
  "POST /users": {
    readonly body: {
      /** Whom tokens name; it never changes */
      readonly email: string;
      /** Shown to people */
      readonly name: string;
      /** USER (default), ADMIN or SUPER_ADMIN */
      readonly role?: string | null;
    };
    readonly answer: {
      readonly user: User;
      readonly key?: ApiKeyWithText;
      readonly note?: string;
    };
  };
  /** A user */
  "GET /users/{user}": {
    readonly path: { readonly user: string };
    readonly answer: {
      readonly user: User;
    };
  };
  /** Change a user */
  "PATCH /users/{user}": {
    readonly path: { readonly user: string };
    readonly body?: {
      /** Shown to people */
      readonly name?: string | null;
      /** USER, ADMIN or SUPER_ADMIN */
      readonly role?: string | null;
      /** false: nothing that they present is taken */
      readonly active?: boolean;
    };
    readonly answer: {
      readonly user: User;
    };
  };
  /** API keys of a user */
  "GET /users/{user}/keys": {
    readonly path: { readonly user: string };
    readonly query?: {
      /** Items of a page */
      readonly limit?: number;
      /** next_cursor of the page before */
      readonly cursor?: string;
    };
    readonly answer: {
      readonly keys: readonly ApiKey[];
      /** For the next page; absent on the last one */
      readonly next_cursor?: string;
    };
  };
  /** Issue an API key */
  "POST /users/{user}/keys": {
    readonly path: { readonly user: string };
    readonly body: {
      /** What it is for */
      readonly name: string;
      /** read, converse, approve, admin */
      readonly scopes?: readonly string[];
      /** When it ends (RFC 3339) */
      readonly expires_at?: string | null;
    };
    readonly answer: {
      readonly key: ApiKeyWithText;
      readonly note: string;
    };
  };
  /** Revoke an API key */
  "DELETE /users/{user}/keys/{key}": {
    readonly path: { readonly user: string; readonly key: string };
    readonly answer: {
      readonly key: ApiKey;
    };
  };
}

/** The event streams, by their method and path: what each takes, and the data of its events by name; `*` is any other. */
export interface Streams {
  /** Follow a conversation */
  "GET /conversations/{id}/events": {
    readonly path: { readonly id: string };
    readonly query?: {
      /** The revision to begin with; Last-Event-ID counts before it */
      readonly from?: number;
    };
    readonly events: {
      readonly delta: DeltaEvent;
      readonly "*": ConversationEvent;
    };
  };
  /** Follow what becomes of approvals */
  "GET /approvals/events": {
    readonly query?: {
      readonly status?: "pending" | "approved" | "rejected" | "expired" | "withdrawn";
      /** Id of a conversation */
      readonly conversation?: string;
      /** * stands for any characters, ? for one */
      readonly tool?: string;
      readonly server?: string;
      readonly node?: string;
      /** Name of the agent of the conversation */
      readonly agent?: string;
      readonly requested_before?: string;
      /** What whoever is signed in may decide */
      readonly may_decide?: "me";
      /** me, none, an e-mail address, or a claimed name */
      readonly assignee?: string;
      /** Beside what the list would show, what whoever is signed in may decide in conversations of others */
      readonly also?: "may_decide";
      /** The id of an event to go on after; Last-Event-ID counts before it */
      readonly after?: string;
    };
    readonly events: {
      readonly "*": ApprovalEvent;
    };
  };
}

/** Where an Idempotency-Key counts: a repeat under the same key is done once. */
export const keyedOperations: readonly string[] = [
  "POST /conversations",
  "POST /conversations/{id}/messages",
  "POST /conversations/{id}/cancel",
  "POST /conversations/{id}/inputs/{input}",
  "POST /approvals/{uuid}",
  "POST /approvals/decide",
  "POST /approvals/{uuid}/assign",
  "POST /approvals/{uuid}/unassign",
  "POST /runs/{id}/pause",
  "POST /runs/{id}/resume",
  "POST /runs/{id}/steps/{step}/cancel",
  "POST /approvals/{uuid}/standing",
  "POST /conversations/{id}/standing/{standing}/revoke",
];
