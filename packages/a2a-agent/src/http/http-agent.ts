import type { StreamSlot } from '@stopgo/http';
import type { Request, Response } from 'express';
import type { AgentProfile } from '../card.ts';
import type { Dialect } from '../dialect.ts';
import type { Extensions } from '../extensions.ts';
import type { A2ARequestHandler } from '../protocol.ts';

/** Who sent a request, and how he speaks. */
export type HttpCaller<Frame> = {
  readonly req: Request;
  readonly frame: Frame;
  readonly dialect: Dialect;
  /** The extensions that he names. */
  readonly named: readonly string[];
  /** To be told where a stream is with each of its events. */
  readonly cursor: Cursor;
  /** To be called when a stream is good but may have no event for long: its client need not wait to be told so. */
  readonly open: () => void;
  /** Aborts when he has left, or nothing more is sent to him. */
  readonly signal: AbortSignal;
};

/** The revision that the last event shows; undefined while more events of the same revision are to come. */
export type Cursor = { revision: number | undefined };

/**
 * An agent as its HTTP surface needs it. `Frame` is what the server knows of a request before anybody looks at it: the
 * surface only hands it on.
 */
export type HttpAgent<Frame> = {
  readonly extensions: Extensions;
  /**
   * Who answers a request whose dialect is known. What is wrong with its headers is thrown by the operations, so that it is told in that
   * dialect.
   */
  readonly handlerFor: (caller: HttpCaller<Frame>) => A2ARequestHandler;
  /** What the agent says of itself to this asker. */
  readonly profileOf: (req: Request, frame: Frame) => Promise<AgentProfile>;
  /**
   * The dialect that a task was started in, for whoever asks for it and does not show his own; unknown: he may expect either; undefined: there
   * is no such task.
   */
  readonly startedIn: (frame: Frame, taskId: string) => Promise<'0.3' | 'legacy' | 'unknown' | undefined>;
  /** An error as the peer may read it: an A2AError or a {@link ServiceError}. */
  readonly readable: (error: unknown, req: Request, frame: Frame) => Error;
  /** The event streams that may be open at once. @throws DomainError `resource_exhausted` if there are as many. */
  readonly streams: { open(): StreamSlot };
  /** How often a silent stream shows that it is alive, in milliseconds. */
  readonly heartbeatMs: number;
  /** How long a client may leave an event unread before its connection is closed, in milliseconds. */
  readonly readerStallMs: number;
};

/** What was refused, or failed, outside of the protocol. */
export type Refusal = { readonly status: number; readonly body: { readonly [key: string]: unknown } };

/** One operation over HTTP. */
export type A2ARoute<Frame> = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Pattern of the path, as express reads it. */
  readonly path: string;
  readonly handle: (req: Request, res: Response, frame: Frame) => Promise<void>;
  /** Says a refusal in the words of the protocol; absent: there are none. */
  readonly sayProblem?: (res: Response, refusal: Refusal) => void;
};
