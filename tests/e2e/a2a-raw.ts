import { randomUUID } from 'node:crypto';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';

/** What a request came to, whatever it was sent over. */
export type Came = {
  /** `ok`, or the error as the protocol numbers or names it. */
  readonly code: string;
  /** All that was answered. */
  readonly text: string;
  /** True for an answer in the protocol's own form. */
  readonly isOfProtocol: boolean;
};

/** A request as bytes or text, sent as it is. */
export async function sendHttp(url: string, init: RequestInit): Promise<Came & { readonly status: number }> {
  const answer = await fetch(url, { ...init, headers: { 'content-type': 'application/json', ...init.headers } });
  const text = await answer.text();
  return { ...readHttp(url, answer.status, text), status: answer.status };
}

function readHttp(url: string, httpStatus: number, text: string): Came {
  const stream = /^data: (.*)$/m.exec(text)?.[1];
  const body = parsed(stream ?? text);
  const isRpc = /\/(?:a2a(?:\/v1)?)?$/.test(new URL(url).pathname);
  if (isRpc) {
    const error = memberOf(body, 'error');
    const code = memberOf(error, 'code');
    const isOfProtocol = memberOf(body, 'jsonrpc') === '2.0' && (error === undefined || typeof code === 'number');
    return { code: error === undefined ? 'ok' : String(code), text, isOfProtocol: isOfProtocol && httpStatus === 200 };
  }
  if (httpStatus < 300) return { code: 'ok', text, isOfProtocol: body !== undefined };
  const error = memberOf(body, 'error') ?? body;
  return { code: String(httpStatus), text, isOfProtocol: typeof memberOf(error, 'message') === 'string' };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;

/** A connection for calls whose bytes need not make sense. */
export function rawGrpc(address: string) {
  const client = new Client(address, credentials.createInsecure());
  const as = (bytes: Buffer): Buffer => bytes;
  return {
    call: (path: string, bytes: Uint8Array, headers: Readonly<Record<string, string>> = {}): Promise<Came> => {
      const metadata = new Metadata();
      for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
      return new Promise((resolve) => {
        client.makeUnaryRequest(path, as, as, Buffer.from(bytes), metadata, (error, answer) =>
          resolve({
            code: error === null ? 'ok' : (status[error.code] ?? 'unknown'),
            text: error === null ? (answer ?? '').toString() : error.details,
            isOfProtocol: error === null || error.details !== '',
          }),
        );
      });
    },
    close: () => client.close(),
  };
}

/** Each version's methods over gRPC: where they are, and how their requests are written. */
export const GRPC_METHODS = {
  '1.0': A2AService,
  '0.3': LegacyA2AService,
} as const;

export type Version = '1.0' | '0.3';
export type Message = Readonly<Record<string, unknown>>;

/** Where a message goes over HTTP, and how it is wrapped there. */
export type Way = { readonly version: Version; readonly path: string; readonly isRpc: boolean };

/** Each version over HTTP, at the addresses that it has. */
export const WAYS: readonly Way[] = [
  { version: '1.0', path: '/a2a', isRpc: true },
  { version: '1.0', path: '/', isRpc: true },
  { version: '0.3', path: '/a2a/v1', isRpc: true },
  { version: '1.0', path: '/message:send', isRpc: false },
  { version: '0.3', path: '/v1/message:send', isRpc: false },
];

/** A way in words. */
export const wayName = ({ version, path }: Way): string => `${version} at ${path}`;

/** The body of a request that sends a message, `params` beside it. */
export function wrapped({ version, isRpc }: Way, message: unknown, params: object = {}): object {
  if (isRpc) {
    const method = version === '1.0' ? 'SendMessage' : 'message/send';
    return { jsonrpc: '2.0', id: 'r-1', method, params: { message, ...params } };
  }
  return version === '1.0' ? { message, ...params } : { request: message, ...params };
}

/** Posts a body, as it is or as JSON. */
export const post = (
  url: string,
  { path, version }: Way,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
) =>
  sendHttp(`${url}${path}`, {
    method: 'POST',
    headers: { 'a2a-version': version, ...headers },
    body:
      typeof body === 'string' || body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body),
  });

/** A good message, in the form that each version and transport has for it. */
export function good({ version, isRpc }: Way, more: Message = {}): Message {
  if (version === '1.0') return { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'list' }], ...more };
  if (isRpc)
    return { kind: 'message', messageId: randomUUID(), role: 'user', parts: [{ kind: 'text', text: 'list' }], ...more };
  const { parts = [{ text: 'list' }], ...rest } = more;
  return { messageId: randomUUID(), role: 'ROLE_USER', content: parts, ...rest };
}

/** A good message in its bytes; `role`: who says it, the user (1), the agent (2) or nobody. */
export const grpcMessage = (version: Version, role = 1): Buffer => {
  const part = { content: { $case: 'text', value: 'list all' }, metadata: undefined, filename: '', mediaType: '' };
  const said = {
    messageId: 'm-1',
    contextId: '',
    taskId: '',
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
  const request =
    version === '1.0'
      ? { tenant: '', message: { ...said, role, parts: [part] }, configuration: undefined, metadata: undefined }
      : {
          request: { ...said, role, content: [{ part: { $case: 'text', value: 'list all' } }] },
          configuration: undefined,
          metadata: undefined,
        };
  return GRPC_METHODS[version].sendMessage.requestSerialize(request as never);
};

/** What no answer may hold: the trace of an error. */
export const STACK = /\n\s+at |\.(?:ts|js):\d+/;
