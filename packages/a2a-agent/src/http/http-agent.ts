import type { StreamSlot } from '@stopgo/http';
import type { Request, Response } from 'express';
import type { AgentProfile } from '../card.ts';
import type { Dialect } from '../dialect.ts';
import type { A2ARequestHandler } from '../protocol.ts';

/** Who sent a request, whatever it turns out to speak. */
export type Peer = {
  readonly handlerFor: (dialect: Dialect) => A2ARequestHandler;
  readonly cursor: Cursor;
  /** Aborts when the peer has left; to be aborted when nothing more is sent to it. */
  readonly left: AbortController;
  /** Resolves when a stream is known to be good though it has no event yet. */
  readonly opened: Promise<void>;
};

/** The revision that the last event shows; undefined while more events of the same revision are to come. */
export type Cursor = { revision: number | undefined };

/**
 * An agent as its HTTP surface needs it. `Frame` is what the server knows of a request before anybody looks at it: the
 * surface only hands it on.
 */
export type HttpAgent<Frame> = {
  /** What is wrong with its headers is thrown by the operations of its handler, so that it is told in the peer's dialect. */
  readonly peerOf: (req: Request, res: Response, frame: Frame) => Peer;
  /** What the agent says of itself to this asker. */
  readonly profileOf: (req: Request, frame: Frame) => Promise<AgentProfile>;
  /** How somebody speaks that asks for this task and does not show it; unknown: he may expect either. */
  readonly dialectOfTask: (req: Request, frame: Frame, taskId: unknown) => Promise<'0.3' | 'legacy' | 'unknown'>;
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
