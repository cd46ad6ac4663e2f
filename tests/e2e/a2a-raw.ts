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
