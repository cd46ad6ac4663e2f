import { Metadata, type ServerDuplexStream } from '@grpc/grpc-js';
import { DomainError, invalidArgument, unimplemented } from '@stopgo/core';
import type { exchange } from '@stopgo/proto';
import {
  concurrentCallsMax,
  exchangeBatchBytes,
  exchangeFrameBytes,
  exchangePartBytesMax,
  exchangeUnreadBytesMax,
} from './bounds.ts';
import {
  type ClientFrame,
  decodeClientFrames,
  encodeServerFrames,
  exchangePath,
  type ServerFrame,
} from './exchange-frames.ts';
import { FrameWriter } from './frame-writer.ts';
import type { GrpcCalls } from './grpc-call.ts';
import { bytesOf, statusOf } from './grpc-status.ts';
import { type CallLifetime, callerLeft, deadlinePassed } from './lifetime.ts';
import type { BoundMethod } from './methods.ts';
import type { TokenProof } from './peers.ts';

type UnaryMethod = BoundMethod & { readonly kind: 'unary' };
type Stream = ServerDuplexStream<Buffer, Buffer>;

/** The exchanges that a server has open, and what is called on them. */
export class ServerExchanges {
  readonly #calls: GrpcCalls;
  readonly #methods: ReadonlyMap<string, UnaryMethod>;
  readonly #open = new Set<ServerExchange>();
  #leaving = false;

  constructor(calls: GrpcCalls, methods: readonly BoundMethod[]) {
    this.#calls = calls;
    this.#methods = new Map(methods.flatMap((method) => (method.kind === 'unary' ? [[method.path, method]] : [])));
  }

  /** Serves an exchange until it ends. */
  serve(stream: Stream): void {
    const served = new ServerExchange(stream, this.#calls, this.#methods);
    this.#open.add(served);
    stream.once('cancelled', () => this.#open.delete(served));
    stream.once('finish', () => this.#open.delete(served));
    if (this.#leaving) served.leave();
  }

  /** Takes no more calls; each exchange ends after those it has. */
  leave(): void {
    this.#leaving = true;
    for (const served of this.#open) served.leave();
  }
}

const sizeOf = ({ frame }: ServerFrame): number =>
  exchangeFrameBytes + (frame.case === 'answer' || frame.case === 'failure' ? frame.value.byteLength : 0);

/** An answer that is too large for one frame, and how much of it is sent. */
type Large = { readonly callId: number; readonly bytes: Buffer; sent: number };

/** The server's end of one exchange. A call is open from when it arrives until the end of its answer is written. */
class ServerExchange {
  readonly #stream: Stream;
  readonly #calls: GrpcCalls;
  readonly #methods: ReadonlyMap<string, UnaryMethod>;
  /** The internal token is looked at once: it belongs to the stream. */
  readonly #proof: TokenProof;
  readonly #writer: FrameWriter;
  readonly #open = new Map<number, CallLifetime>();
  readonly #small: ServerFrame[] = [];
  readonly #large: Large[] = [];
  #unread = 0;
  #leaving = false;
  /** The client has ended its side. */
  #clientDone = false;
  #over = false;

  constructor(stream: Stream, calls: GrpcCalls, methods: ReadonlyMap<string, UnaryMethod>) {
    this.#stream = stream;
    this.#calls = calls;
    this.#methods = methods;
    this.#proof = calls.proofOf(stream.metadata);
    this.#writer = new FrameWriter(stream, () => this.#take());
    stream.on('data', (bytes: Buffer) => this.#receive(bytes));
    stream.once('end', () => {
      this.#clientDone = true;
      this.#endIfDone();
    });
    stream.once('cancelled', () => this.#giveUp());
    // The client writes its first call when it has these.
    stream.sendMetadata(new Metadata());
  }

  /**
   * Takes no more calls. A client that is told so ends its side once it has its answers; what it has sent before is then told
   * not to have been taken.
   */
  leave(): void {
    if (this.#leaving || this.#clientDone || this.#over) return;
    this.#leaving = true;
    this.#send({ callId: 0, frame: { case: 'leaving', value: { $typeName: 'stopgo.rpc.v1.Leaving' } } });
  }

  #receive(bytes: Buffer): void {
    const frames = decodeClientFrames(bytes);
    if (frames === undefined) {
      this.#violated('a message is no frames');
      return;
    }
    for (const frame of frames) {
      if (this.#over) return;
      this.#handle(frame);
    }
  }

  #handle({ callId, frame }: ClientFrame): void {
    switch (frame.case) {
      case 'call':
        this.#begin(callId, frame.value);
        return;
      case 'cancel': {
        // One that is not open has ended in the meantime.
        const lifetime = this.#open.get(callId);
        lifetime?.abort((frame.value.deadlinePassed ? deadlinePassed : callerLeft)(lifetime.path));
        return;
      }
      default:
        this.#violated('a frame of a kind that this server does not know');
        return;
    }
  }

  #begin(callId: number, call: exchange.Call): void {
    if (callId === 0 || this.#open.has(callId)) {
      this.#violated(`call ${callId} is open already`);
      return;
    }
    if (this.#leaving) {
      const value = { $typeName: 'stopgo.rpc.v1.NotTaken' } as const;
      this.#send({ callId, frame: { case: 'notTaken', value } });
      return;
    }
    if (this.#open.size >= concurrentCallsMax) {
      this.#violated(`more than ${concurrentCallsMax} open calls`);
      return;
    }
    const method = this.#methods.get(call.method);
    if (method === undefined) {
      const error = unimplemented(`the server does not implement the method ${call.method}`);
      this.#send({ callId, frame: { case: 'failure', value: bytesOf(error) } });
      return;
    }
    const deadline = call.timeLeftMs === undefined ? undefined : Date.now() + call.timeLeftMs;
    const lifetime = this.#calls.begin(method, deadline);
    this.#open.set(callId, lifetime);
    const received = { proof: this.#proof, context: call, request: call.request };
    void this.#calls.unary(method, received, lifetime).then((outcome) => this.#answer(callId, outcome));
  }

  #answer(callId: number, outcome: Buffer | DomainError): void {
    if (this.#over) return;
    if (outcome instanceof DomainError) {
      this.#send({ callId, frame: { case: 'failure', value: bytesOf(outcome) } });
      return;
    }
    if (outcome.byteLength <= exchangePartBytesMax) {
      this.#send({ callId, frame: { case: 'answer', value: outcome } });
      return;
    }
    this.#large.push({ callId, bytes: outcome, sent: 0 });
    this.#waits(outcome.byteLength);
  }

  #send(frame: ServerFrame): void {
    this.#small.push(frame);
    this.#waits(sizeOf(frame));
  }

  #waits(bytes: number): void {
    this.#unread += bytes;
    if (this.#unread > exchangeUnreadBytesMax) this.#stream.pause();
    this.#writer.wake();
  }

  /** Small frames first, as many as fit, and one part of a large answer: neither kind holds up the other. */
  #take(): Buffer | undefined {
    const frames: ServerFrame[] = [];
    let bytes = 0;
    while (bytes < exchangeBatchBytes) {
      const frame = this.#small.shift();
      if (frame === undefined) break;
      bytes += sizeOf(frame);
      this.#open.delete(frame.callId);
      frames.push(frame);
    }
    this.#written(bytes);
    const large = this.#large.shift();
    if (large !== undefined) frames.push(this.#part(large));
    if (frames.length > 0) return encodeServerFrames(frames);
    this.#endIfDone();
    return undefined;
  }

  #part(large: Large): ServerFrame {
    const { callId, bytes, sent } = large;
    const value = bytes.subarray(sent, sent + exchangePartBytesMax);
    large.sent += value.byteLength;
    this.#written(value.byteLength);
    if (large.sent < bytes.byteLength) {
      this.#large.push(large);
      return { callId, frame: { case: 'part', value } };
    }
    this.#open.delete(callId);
    return { callId, frame: { case: 'answer', value } };
  }

  #written(bytes: number): void {
    this.#unread -= bytes;
    if (this.#unread <= exchangeUnreadBytesMax && this.#stream.isPaused()) this.#stream.resume();
  }

  /** Ends the stream once no more calls can come and those that came are answered. */
  #endIfDone(): void {
    if (!this.#clientDone || this.#over || this.#open.size > 0 || this.#small.length > 0) return;
    this.#over = true;
    this.#stream.end();
  }

  #violated(what: string): void {
    this.#giveUp();
    this.#stream.emit('error', statusOf(invalidArgument(`${exchangePath}: ${what}`)));
  }

  /** Nobody reads any more: the calls under way are their caller's no longer. */
  #giveUp(): void {
    if (this.#over) return;
    this.#over = true;
    this.#writer.stop();
    for (const lifetime of this.#open.values()) lifetime.abort(callerLeft(lifetime.path));
    this.#open.clear();
  }
}
