import { patienceMs } from './topology.ts';

/** An answer of the gateway. */
export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
};

/** The parts of answers that the tests look at. */
export type Body = {
  readonly conversation: Conversation;
  readonly result: Result;
  readonly run: { readonly id: string; readonly status: string };
  readonly error: string;
  readonly conversations: readonly Conversation[];
  readonly summary: Readonly<Record<string, number>>;
  readonly next_cursor?: string;
  readonly tools: readonly Tool[];
  readonly servers: readonly ToolServer[];
  readonly bridges: readonly { readonly instance?: string; readonly address?: string; readonly answers: boolean }[];
  readonly approval: Approval;
  readonly approvals: readonly Approval[];
  readonly decision: string;
  readonly decided_by: string;
  readonly decided_at: string;
  readonly configs?: readonly PushConfig[];
};

/** An address that is told of a conversation. */
export type PushConfig = {
  readonly id: string;
  readonly url: string;
  readonly status: string;
  readonly deliveries: number;
  readonly failures: number;
  readonly failure?: string;
};

export type Tool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: string };
  readonly destructiveHint: boolean;
  readonly approval?: string;
  readonly hints?: Readonly<Record<string, { readonly value: boolean; readonly from: string }>>;
  readonly pin?: string;
  readonly pin_state?: string;
  readonly server: string;
  readonly own_name?: string;
  /** Of a tool that is held. */
  readonly state?: string;
  readonly changes?: readonly { readonly path: string; readonly before?: string; readonly after?: string }[];
};

/** How one bridge finds one tool server. */
export type ToolServer = {
  readonly name: string;
  readonly bridge: string;
  readonly state: string;
  readonly since: string;
  readonly reason?: string;
  readonly last_error?: { readonly text: string; readonly at: string };
  readonly protocol?: { readonly era: string; readonly version: string };
  readonly restarts: number;
  readonly tools: number;
  readonly tools_deselected: number;
  readonly instructions?: string;
  readonly left_out: readonly { readonly name: string; readonly reason: string }[];
  readonly problems: readonly string[];
};

export type Conversation = {
  readonly id: string;
  readonly session_id: string;
  readonly status: string;
  readonly messages: readonly Message[];
  readonly run?: { readonly id: string; readonly status: string; readonly usage?: Readonly<Record<string, number>> };
  readonly pending_approval?: Approval;
  readonly pending_approvals: readonly Approval[];
  readonly pipeline_state?: PipelineState;
  readonly pipeline_states?: readonly PipelineState[];
};

/** Where a node of a tree waits. */
export type PipelineState = {
  readonly paused_node_path: readonly number[];
  readonly paused_node_output_key: string;
  readonly session_state: Readonly<Record<string, string>>;
  readonly user_message: string;
  readonly node: string;
  readonly step_id: string;
  readonly approvals: readonly string[];
};

export type Message = {
  readonly role: string;
  readonly content: string;
  readonly tool_call?: {
    readonly name: string;
    readonly arguments: Readonly<Record<string, unknown>> | null;
    readonly result?: string;
    readonly is_error?: boolean;
    readonly auto_approved?: boolean;
  };
};

export type Approval = {
  readonly reason?: string;
  readonly uuid: string;
  readonly tool_name: string;
  readonly tool_args: Readonly<Record<string, unknown>>;
  readonly description: string;
  readonly kind: string;
  readonly choices: readonly string[];
};

export type Result = {
  readonly response: string;
  readonly waiting_approval: boolean;
  readonly approval?: Approval;
  readonly approvals: readonly Approval[];
  readonly auth_required: boolean;
  readonly error?: string;
  /** What became of a message that was not stored. */
  readonly notice?: string;
};

/** Asks a gateway as any HTTP client would. */
export function client(url: string) {
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const response = await fetch(url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  };
  return {
    get: (path: string, headers?: Record<string, string>) => ask('GET', path, undefined, headers),
    post: (path: string, body?: unknown, headers?: Record<string, string>) => ask('POST', path, body, headers),
  };
}

export type Client = ReturnType<typeof client>;

function parsed(text: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return {} as Body;
  }
}

/** Waits until a condition holds; fails with its name if it does not within a deadline. */
export async function until<T>(what: string, probe: () => Promise<T | undefined>, deadlineMs = patienceMs): Promise<T> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`waited ${deadlineMs} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
