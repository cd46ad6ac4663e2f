/** What the gateway answers of agents and their repositories, as far as the app reads it. */
import type { ExactValue } from '@stopgo/client';

export type Agent = {
  readonly name: string;
  readonly description: string;
  readonly version: string | null;
  readonly tags: readonly string[];
  readonly repository: string;
  readonly file_path: string;
  readonly git_commit: string;
  readonly last_modified: string | null;
  readonly definition_digest: string;
};

export type AgentPageAnswer = {
  readonly agents: readonly Agent[];
  readonly next_cursor?: string;
  readonly total: number;
};

/** A node of the tree that an agent is. */
export type AgentNode = {
  readonly type: string;
  readonly name: string;
  readonly model?: string;
  readonly fallbacks?: readonly string[];
  readonly prompt?: string;
  readonly turnsMax?: number;
  readonly approval?: string;
  readonly onReject?: string;
  readonly toolServers?: readonly string[];
  readonly tools?: readonly string[];
  readonly children?: readonly AgentNode[];
  readonly iterationsMax?: number;
  readonly onError?: string;
};

export type Definition = {
  readonly name: string;
  readonly root: AgentNode;
  readonly platform?: {
    readonly title: string;
    readonly examples: readonly string[];
    readonly allowedAgents: readonly string[];
    readonly providers: readonly string[];
    readonly contextScope: string;
    readonly context?: { readonly state: readonly string[]; readonly memories: readonly string[] };
    readonly executionMinutesMax?: number;
    readonly completionRequired: boolean;
    readonly limits?: {
      readonly agentCallsMax?: number;
      readonly tokensMax?: number;
      /** In millionths of a US dollar. */
      readonly costMax?: number;
      readonly onLimit: string;
    };
  };
};

export type AgentAnswer = { readonly agent: Agent; readonly definition: Definition };

export type Commit = {
  readonly hash: string;
  readonly message: string;
  readonly author: string;
  readonly timestamp: string | null;
};

type Place = { readonly git_commit: string; readonly file_path: string };

export type DiffAnswer = { readonly from: Place | null; readonly to: Place; readonly patch: string };

type SyncError = {
  readonly message: string;
  readonly file_path: string;
  readonly line: number | null;
  readonly column: number | null;
};

export type Repository = {
  readonly name: string;
  readonly git_url: string;
  readonly branch: string;
  readonly is_root: boolean;
  readonly is_active: boolean;
  readonly sync_interval: string;
  readonly auth_type: string;
  readonly takes_webhooks: boolean;
  readonly is_configured: boolean;
  readonly worktree: boolean;
  readonly last_sync_status: string;
  readonly last_sync_commit: string | null;
  readonly last_sync_at: string | null;
  readonly last_failure: { readonly message: string; readonly timestamp: string | null } | null;
  readonly agent_count: number;
  readonly sync_errors: readonly SyncError[];
  readonly sync_error_count: number;
};

export type Memory = {
  readonly key: string;
  readonly value: ExactValue;
  readonly expires_at: string | null;
  readonly saved_at: string;
  readonly saved_by: { readonly kind: string; readonly id: string; readonly claimed: boolean };
  readonly conversation_id: string | null;
  readonly revision: number;
};

export type ToolServer = { readonly name: string; readonly state: string; readonly reason?: string };

export type Tool = { readonly name: string; readonly description?: string; readonly destructiveHint?: boolean };

/** What the agent of the configuration says of itself to other agents. */
export type Card = { readonly name: string; readonly description: string };
