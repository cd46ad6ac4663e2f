import { randomUUID } from 'node:crypto';

export type ApprovalJson = {
  readonly uuid: string;
  readonly kind: string;
  readonly tool_name: string;
  readonly tool_args: unknown;
  readonly choices: readonly string[];
  readonly status: string;
};
export type ConversationJson = {
  readonly id: string;
  readonly run?: { readonly id: string; readonly status: string };
  readonly pending_approvals: readonly ApprovalJson[];
  /** What agents ask people. */
  readonly pending_inputs?: readonly { readonly id: string; readonly message: string }[];
  readonly messages?: readonly { readonly content: string }[];
  readonly revision: number;
};
type Body = {
  readonly conversation?: ConversationJson;
  readonly result?: { readonly error?: string };
  readonly error?: string;
  readonly steps?: readonly { readonly agent: string; readonly state: string }[];
  readonly choices?: readonly string[];
  readonly decision?: string;
  readonly decided_by?: string;
  readonly decided_at?: string;
};
export type Answer = { readonly status: number; readonly headers: Headers; readonly body: Body };

export type RequestOptions = {
  readonly body?: unknown;
  /** Present: the request is repeated, with this key, until it is answered. */
  readonly key?: string;
  readonly prefer?: string;
  readonly approver?: string;
};

/** How a client asks. */
export type ClientOptions = {
  /** Where to ask; looked up for each try. */
  readonly address: () => string | Promise<string>;
  /** How long one try may take before its answer counts as lost, in milliseconds; no limit if absent. */
  readonly tryMs?: number;
  /** Pause before a request is repeated, in milliseconds. */
  readonly pauseMs?: number;
  /** Sees every answer, also those after which the request is made again. */
  readonly onAnswer?: (answer: Answer, request: string) => void;
};

/** How long one request is repeated before it counts as never answered, in milliseconds. */
const answerMs = 180_000;
const pauseMsDefault = 15;
/** Answers that say: ask again. 408 comes from a gateway that was frozen while the request arrived. */
const notNow: readonly number[] = [408, 503, 504];

/** A client that does not give up: a request whose answer is lost is made again, with the same key. */
export class PatientClient {
  private readonly options: ClientOptions;

  constructor(options: ClientOptions) {
    this.options = options;
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
    for (;;) {
      const answer = await this.once(method, path, options);
      if (answer !== undefined) this.options.onAnswer?.(answer, `${method} ${path}`);
      if (answer !== undefined && !notNow.includes(answer.status)) return answer;
      if (Date.now() > deadline)
        throw new Error(
          `${method} ${path} was not answered within ${answerMs} ms${answer ? ` but ${answer.status}` : ''}`,
        );
      await pause(this.options.pauseMs);
    }
  }

  /** Undefined: nobody knows what became of it. */
  private async once(method: string, path: string, options: RequestOptions): Promise<Answer | undefined> {
    const { tryMs } = this.options;
    const address = await this.options.address();
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
        ...(tryMs === undefined ? {} : { signal: AbortSignal.timeout(tryMs) }),
      });
      const { status, headers } = response;
      const text = await response.text();
      return { status, headers, body: JSON.parse(text) as Body };
    } catch {
      return undefined;
    }
  }
}

/** Waits a moment before something is looked at again. */
export function pause(milliseconds: number = pauseMsDefault): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
