import type { Client, ClientDuplexStream, Metadata } from '@grpc/grpc-js';
import type { DomainError } from '@stopgo/core';
import type { exchange } from '@stopgo/proto';
import { exchangeBatchBytes, exchangeFrameBytes } from './bounds.ts';
import { asIs, tooLarge } from './codec.ts';
import {
  type ClientFrame,
  decodeServerFrames,
  encodeClientFrames,
  exchangePath,
  type ServerFrame,
} from './exchange-frames.ts';
import { FrameWriter } from './frame-writer.ts';
import { type CallStatus, domainErrorOfBytes } from './grpc-status.ts';
import type { CallLifetime } from './lifetime.ts';
import type { WireContext } from './wire-context.ts';

/** A call to be made on an exchange. */
export type ExchangeCall = { readonly method: string; readonly request: Uint8Array; readonly context: WireContext };

/**
 * What became of a call.
 *
 * `broken`: it was sent, and the stream ended before its answer; nobody knows whether it took effect. `unopened`: the
 * stream could not be opened, and `not_taken`: the server did not look at it; both have certainly had no effect.
 */
export type ExchangeOutcome =
  | { readonly kind: 'answer'; readonly bytes: Uint8Array }
  | { readonly kind: 'failure'; readonly error: DomainError }
  | { readonly kind: 'broken' | 'unopened'; readonly status: CallStatus }
  | { readonly kind: 'not_taken' };

type Pending = {
  readonly call: ExchangeCall;
  readonly deadline: number | undefined;
  readonly settle: (outcome: ExchangeOutcome) => void;
  /** Once it is sent. */
  id: number | undefined;
  /** Its caller does not wait any more. */
  left: boolean;
  parts: Uint8Array[];
  bytes: number;
};

type Options = { readonly metadata: Metadata; readonly callsMax: number; readonly messageBytesMax: number };

/**
 * The client's end of one exchange. Calls wait until the server has accepted the stream, so that none is sent in vain, and
 * while `callsMax` are open. A call is open from when it is sent until the server says that it has ended, also if its caller
 * has left before.
 */
export class ClientExchange {
  readonly #options: Options;
  readonly #stream: ClientDuplexStream<Buffer, Buffer>;
  readonly #writer: FrameWriter;
  readonly #queue = new Set<Pending>();
  readonly #open = new Map<number, Pending>();
  readonly #cancels: ClientFrame[] = [];
  #phase: 'opening' | 'open' | 'leaving' | 'ended' = 'opening';
  #lastId = 0;
  /** What the server did that it must not. */
  #violation: string | undefined;

  constructor(client: Client, options: Options) {
    this.#options = options;
    this.#stream = client.makeBidiStreamRequest<Buffer, Buffer>(exchangePath, asIs, asIs, options.metadata);
    this.#writer = new FrameWriter(this.#stream, () => this.#take());
    this.#stream.once('metadata', () => {
      if (this.#phase !== 'opening') return;
      this.#phase = 'open';
      this.#writer.wake();
    });
    this.#stream.on('data', (bytes: Buffer) => this.#receive(bytes));
    // The status tells the same, also where there is no error.
    this.#stream.on('error', () => undefined);
    this.#stream.once('status', (status) => this.#ended(status));
  }

  /** False once the stream has ended or its server is leaving: another exchange is needed. */
  get takesCalls(): boolean {
    return this.#phase === 'opening' || this.#phase === 'open';
  }

  /** Makes a call. Rejects only with the reason of a lifetime that ends before. */
  call(call: ExchangeCall, lifetime: CallLifetime): Promise<ExchangeOutcome> {
    return new Promise((resolve, reject) => {
      const pending: Pending = {
        call,
        deadline: lifetime.deadline,
        settle: resolve,
        id: undefined,
        left: false,
        parts: [],
        bytes: 0,
      };
      this.#queue.add(pending);
      lifetime.onAbort((reason) => {
        reject(reason);
        this.#leave(pending, reason.kind === 'deadline_exceeded');
      });
      if (this.#phase === 'open') this.#writer.wake();
    });
  }

  /** Takes no more calls. Those that are sent go on; the stream ends after them. */
  close(): void {
    if (this.#phase === 'opening') this.#stream.cancel();
    else if (this.#phase === 'open') this.#retire();
  }

  #retire(): void {
    this.#phase = 'leaving';
    for (const { settle } of this.#queue) settle({ kind: 'not_taken' });
    this.#queue.clear();
    this.#endIfDone();
  }

  #leave(pending: Pending, deadlinePassed: boolean): void {
    pending.left = true;
    pending.parts = [];
    this.#queue.delete(pending);
    if (pending.id === undefined || this.#open.get(pending.id) !== pending) return;
    const value = { $typeName: 'stopgo.rpc.v1.Cancel', deadlinePassed } as const;
    this.#cancels.push({ callId: pending.id, frame: { case: 'cancel', value } });
    this.#writer.wake();
  }

  #take(): Buffer | undefined {
    if (this.#phase !== 'open' && this.#phase !== 'leaving') return undefined;
    const frames: ClientFrame[] = this.#cancels.splice(0);
    let bytes = 0;
    for (const pending of this.#queue) {
      if (bytes >= exchangeBatchBytes || this.#open.size >= this.#options.callsMax) break;
      this.#queue.delete(pending);
      pending.id = this.#freeId();
      this.#open.set(pending.id, pending);
      frames.push({ callId: pending.id, frame: { case: 'call', value: wireCall(pending) } });
      bytes += exchangeFrameBytes + pending.call.request.byteLength + (pending.call.context.bearerToken?.length ?? 0);
    }
    return frames.length === 0 ? undefined : encodeClientFrames(frames);
  }

  #freeId(): number {
    do this.#lastId = (this.#lastId + 1) % 2 ** 32;
    while (this.#lastId === 0 || this.#open.has(this.#lastId));
    return this.#lastId;
  }

  #receive(bytes: Buffer): void {
    const frames = decodeServerFrames(bytes);
    if (frames === undefined) this.#violated('a message that is no frames');
    for (const frame of frames ?? []) {
      if (this.#violation !== undefined) return;
      this.#handle(frame);
    }
  }

  #handle({ callId, frame }: ServerFrame): void {
    if (frame.case === 'leaving') {
      if (this.#phase === 'open') this.#retire();
      return;
    }
    const pending = this.#open.get(callId);
    if (pending === undefined) {
      this.#violated(`a frame of call ${callId}, which is not open`);
      return;
    }
    switch (frame.case) {
      case 'part':
        this.#add(pending, frame.value);
        return;
      case 'answer':
        this.#add(pending, frame.value);
        if (!pending.left) pending.settle({ kind: 'answer', bytes: joined(pending.parts) });
        break;
      case 'failure': {
        const error = domainErrorOfBytes(frame.value);
        if (error === undefined) {
          this.#violated('a failure that is no description of an error');
          return;
        }
        pending.settle({ kind: 'failure', error });
        break;
      }
      case 'notTaken':
        pending.settle({ kind: 'not_taken' });
        break;
      default:
        this.#violated('a frame of a kind that this client does not know');
        return;
    }
    this.#open.delete(callId);
    if (this.#queue.size > 0) this.#writer.wake();
    this.#endIfDone();
  }

  #add(pending: Pending, part: Uint8Array): void {
    if (pending.left) return;
    pending.parts.push(part);
    pending.bytes += part.byteLength;
    const { messageBytesMax } = this.#options;
    if (pending.bytes <= messageBytesMax) return;
    pending.settle({ kind: 'failure', error: tooLarge(pending.call.method, pending.bytes, messageBytesMax) });
    this.#leave(pending, false);
  }

  #violated(what: string): void {
    this.#violation = `the server sent ${what}`;
    this.#writer.stop();
    this.#stream.cancel();
  }

  #endIfDone(): void {
    if (this.#phase === 'leaving' && this.#open.size === 0) this.#stream.end();
  }

  #ended(status: CallStatus): void {
    const opening = this.#phase === 'opening';
    this.#phase = 'ended';
    this.#writer.stop();
    const { code, metadata } = status;
    const shown = this.#violation === undefined ? status : { code, details: this.#violation, metadata };
    for (const { settle } of this.#open.values()) settle({ kind: 'broken', status: shown });
    for (const { settle } of this.#queue) settle(opening ? { kind: 'unopened', status } : { kind: 'not_taken' });
    this.#open.clear();
    this.#queue.clear();
  }
}

function wireCall({ call: { method, request, context }, deadline }: Pending): exchange.Call {
  return {
    $typeName: 'stopgo.rpc.v1.Call',
    method,
    request,
    ...context,
    ...(deadline === undefined ? {} : { timeLeftMs: timeLeft(deadline) }),
  };
}

/** In whole milliseconds; a deadline that is no number has passed. */
const timeLeft = (deadline: number): number =>
  Math.min(Math.max(Math.ceil(deadline - Date.now()), 0) || 0, timeLeftMsMax);

/** The most that the field can hold. */
const timeLeftMsMax = 2 ** 32 - 1;

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
}
