import { randomUUID } from 'node:crypto';
import type { World } from './world.ts';

export type ApprovalJson = {
  readonly uuid: string;
  readonly kind: string;
  readonly tool_name: string;
  readonly choices: readonly string[];
  readonly status: string;
};
export type ConversationJson = {
  readonly id: string;
  readonly run?: { readonly id: string; readonly status: string };
  readonly pending_approvals: readonly ApprovalJson[];
  readonly revision: number;
};
type Body = {
  readonly conversation?: ConversationJson;
  readonly result?: { readonly error?: string };
  readonly error?: string;
  readonly choices?: readonly string[];
  readonly decision?: string;
  readonly decided_by?: string;
  readonly decided_at?: string;
};
export type Answer = { readonly status: number; readonly body: Body };

/** What the platform has promised with a 2xx: it must be in the log. */
export type Acknowledged =
  | { readonly kind: 'message'; readonly conversationId: string; readonly key: string; readonly text: string }
  | {
      readonly kind: 'decision';
      readonly conversationId: string;
      readonly key: string;
      readonly approvalId: string;
      readonly decision: string;
    }
  | { readonly kind: 'cancel'; readonly conversationId: string; readonly key: string };

export type RequestOptions = {
  readonly body?: unknown;
  /** Present: the request is repeated, with this key, until it is answered. */
  readonly key?: string;
  readonly prefer?: string;
  readonly approver?: string;
};

/** How long one request is repeated before it counts as never answered, in milliseconds. */
const answerMs = 180_000;
/** Pause before a request is repeated, in milliseconds. */
const pauseMs = 15;

/** A client that does not give up: a request whose answer is lost is made again, with the same key. */
export class PatientClient {
  /** Requests whose answer was lost at least once. */
  lost = 0;
  private readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  newKey(): string {
    return randomUUID();
  }

  async get(path: string): Promise<Answer> {
    return this.request('GET', path, {});
  }

  async post(path: string, options: RequestOptions): Promise<Answer> {
    return this.request('POST', path, options);
  }

  private async request(method: string, path: string, options: RequestOptions): Promise<Answer> {
    const deadline = Date.now() + answerMs;
    let hasLost = false;
    for (;;) {
      const answer = await this.once(method, path, options);
      if (answer !== undefined && answer.status !== 503 && answer.status !== 504) return answer;
      if (!hasLost && answer === undefined) this.lost += 1;
      hasLost = true;
      if (Date.now() > deadline)
        throw new Error(
          `${method} ${path} was not answered within ${answerMs} ms${answer ? ` but ${answer.status}` : ''}`,
        );
      await pause();
    }
  }

  /** Undefined: nobody knows what became of it. */
  private async once(method: string, path: string, options: RequestOptions): Promise<Answer | undefined> {
    const address = await this.world.ready();
    const { body, key, prefer, approver } = options;
    try {
      const response = await fetch(`${address}${path}`, {
        method,
        headers: {
          'content-type': 'application/json',
          ...(key === undefined ? {} : { 'idempotency-key': key }),
          ...(prefer === undefined ? {} : { prefer }),
          ...(approver === undefined ? {} : { 'x-approver': approver }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: JSON.parse(text) as Body };
    } catch {
      return undefined;
    }
  }
}

/** Waits a moment before something is looked at again. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, pauseMs);
  });
}
