// What the gateway answers about itself, as far as these pages read it.
import type { ExactValue } from '@stopgo/client';

export type Health = { readonly status: string; readonly reason?: string };

export type Alarm = {
  readonly level: 'warn' | 'error';
  readonly message: string;
  readonly fields?: ExactValue;
  readonly count: number;
  readonly first_at: string;
  readonly last_at: string;
  readonly service: string;
  readonly instance: string;
};

export type Process = {
  readonly service: string;
  readonly address?: string;
  readonly instance?: string;
  readonly answers: boolean;
};

export type Alarms = { readonly alarms: readonly Alarm[]; readonly processes: readonly Process[] };

export type ToolServer = {
  readonly name: string;
  readonly bridge: string;
  readonly transport: string;
  readonly address: string;
  readonly state: string;
  readonly since: string;
  readonly reason?: string;
  readonly retry_after_ms?: number;
  readonly last_error?: { readonly text: string; readonly at: string };
  readonly protocol?: { readonly era: string; readonly version: string };
  readonly restarts: number;
  readonly tools: number;
  readonly tools_held: number;
  readonly tools_deselected: number;
  readonly left_out: readonly { readonly name: string; readonly reason: string }[];
  readonly problems: readonly string[];
  readonly calls: { readonly running: number; readonly waiting: number; readonly at_once: number };
};

export type ToolServers = {
  readonly servers: readonly ToolServer[];
  readonly bridges: readonly { readonly instance?: string; readonly address?: string; readonly answers: boolean }[];
};

type Hint = { readonly value: boolean; readonly from: string };

export type Tool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ExactValue;
  readonly destructiveHint: boolean;
  readonly approval?: string;
  readonly hints?: Readonly<Record<'readOnlyHint' | 'destructiveHint' | 'idempotentHint' | 'openWorldHint', Hint>>;
  readonly pin?: string;
  readonly pin_state?: string;
  readonly server?: string;
  readonly own_name?: string;
};

export type Tools = { readonly tools: readonly Tool[] };

export type HeldTool = {
  readonly server: string;
  readonly name: string;
  readonly state: 'new' | 'changed';
  readonly pin: string;
  readonly accepted_pin?: string;
  readonly destructiveHint: boolean;
  readonly definition?: ExactValue;
  readonly accepted_definition?: ExactValue;
};

export type HeldTools = { readonly tools: readonly HeldTool[] };

/** Something that runs wait for now, other than people. */
export type Wait = {
  readonly kind: string;
  readonly name?: string;
  readonly since?: string;
  readonly next_try_at?: string;
  readonly reason?: string;
  readonly runs: number;
  readonly conversation_ids: readonly string[];
};

export type Waits = { readonly waits: readonly Wait[] };

export type Standing = {
  readonly id: string;
  readonly server?: string;
  readonly tool: string;
  readonly arguments: 'same' | 'any';
  readonly granted_by: string;
  readonly granted_at: string;
};

export type StandingConversation = {
  readonly id: string;
  readonly title: string;
  readonly standing_approvals?: readonly Standing[];
};

export type Role = 'USER' | 'ADMIN' | 'SUPER_ADMIN';

export type User = {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly active: boolean;
  readonly groups: readonly string[];
  readonly created_at: string;
  readonly last_login_at: string | null;
};

export type ApiKey = {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
};
