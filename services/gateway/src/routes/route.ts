import type { Action } from '@stopgo/core';
import type { OpenStreams } from '@stopgo/http';
import type { Request, Response } from 'express';
import type { Authorize, Resource } from '../authorize.ts';
import { requirePermission } from '../authorize.ts';
import type { Problem } from '../errors.ts';
import type { Frame } from '../frame.ts';
import type { GatewayOptions } from '../options.ts';

/** What handlers work with. */
export type RouteDependencies = Pick<
  GatewayOptions,
  | 'clients'
  | 'bridges'
  | 'alarms'
  | 'wallClock'
  | 'host'
  | 'log'
  | 'syncWaitMs'
  | 'limits'
  | 'agentName'
  | 'agentDescription'
  | 'remoteAgents'
  | 'publicUrl'
  | 'allowedOrigins'
  | 'a2aRequiredExtensions'
  | 'a2aExtendedCard'
  | 'a2aGrpcAsUrl'
  | 'a2aStreaming'
  | 'a2aPush'
  | 'interceptA2A'
  | 'authenticate'
  | 'linkUser'
  | 'newId'
> & {
  readonly authorize: Authorize;
  readonly streams: OpenStreams;
  /** The port that A2A over gRPC is spoken on, once it is. */
  readonly grpcPort: () => number | undefined;
  readonly heartbeatMs: number;
  /** How often whoever follows something is asked again who they are, in milliseconds. */
  readonly recheckMs: number;
  readonly readerStallMs: number;
};

/** Answers one request. Errors that it throws are answered by the caller. */
export type Handler = (req: Request, res: Response, frame: Frame) => Promise<void>;

/** Answers a request that was refused, or failed, in the words of its protocol. */
export type SayProblem = (res: Response, problem: Problem) => void;

/** One operation of the HTTP surface. */
export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Pattern of the path, for example `/conversations/:id`. */
  readonly path: string;
  readonly handle: Handler;
  /** True: nobody signs in for it; credentials that come with it are somebody else's, or none are. */
  readonly isOpen?: true;
  /** For a protocol with errors of its own; absent: as REST says it. */
  readonly sayProblem?: SayProblem;
};

/** Asks whether the caller may do something; see {@link requirePermission}. */
export const permit = (
  { authorize }: RouteDependencies,
  { principal }: Frame,
  action: Action,
  resource: Resource,
): Promise<void> => requirePermission(authorize, principal, action, resource);
