import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { DomainError } from '@stopgo/core';
import {
  AGENT_STOP_GRACE_MS,
  ANSWER_WAIT_MS,
  BODY_BYTES_MAX,
  OPEN_STREAMS_MAX,
  STREAM_HEARTBEAT_MS,
  STREAM_STALL_MS,
} from '../bounds.ts';
import { type AgentProfile, cardOf } from '../card.ts';
import type { GrpcListener } from '../grpc.ts';
import { gracefulStop, type HttpAgent, listen, OpenStreams, ServiceError } from '../http/index.ts';
import { agentMessage, textPart } from '../parts.ts';
import { A2AError, AgentCard, type Message, type Part, RequestMalformedError } from '../protocol.ts';
import { agentApp } from './app.ts';
import { requestHandler } from './handler.ts';
import type { ProcessFunc } from './process.ts';
import { MemoryTaskStore } from './task-store.ts';
import { Tasks } from './tasks.ts';

/** What an agent is made of. */
export type AgentOptions = {
  readonly name: string;
  readonly description: string;
  readonly process: ProcessFunc;
  /** By default this machine only. */
  readonly host?: string;
  /** By default the system picks a free one. */
  readonly port?: number;
  /** Speaks gRPC too, at this port; 0 lets the system pick one. */
  readonly grpcPort?: number;
  readonly version?: string;
  readonly skills?: AgentProfile['skills'];
  /** Where others reach it, without a slash at the end; by default wherever they asked for its card. */
  readonly publicUrl?: string;
  /** False for an agent without event streams. */
  readonly streaming?: boolean;
  /** Answers a message at once, with a message in place of a task; undefined makes it a task, as every message is by default. */
  readonly reply?: (message: Message) => string | readonly Part[] | undefined;
  /** Told what went wrong in the agent itself or was thrown by the process; by default it is printed in one line. */
  readonly onError?: (error: unknown, about: string) => void;
  /** How long an answer waits for its task before it shows the task as it is, in milliseconds. */
  readonly answerWaitMs?: number;
  /** Bytes of a request. */
  readonly bodyBytesMax?: number;
};

/** An agent that listens. */
export type Agent = {
  /** Its URL. */
  readonly address: string;
  /** The port that gRPC is spoken on, if it is. */
  readonly grpcPort: number | undefined;
  readonly card: AgentCard;
  readonly store: MemoryTaskStore;
  /** Takes no new requests, lets running ones finish for a while, then tells the processes to stop and ends. */
  readonly stop: () => Promise<void>;
};

/**
 * Starts a whole A2A agent around a function: JSON-RPC, HTTP+JSON and gRPC, versions 1.0, 0.3 and the dialect before.
 * Tasks are kept in memory and end with it.
 *
 * @throws Error in one line if it cannot listen; nothing is left behind then.
 */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  const { host = '127.0.0.1', onError = printed, answerWaitMs = ANSWER_WAIT_MS } = options;
  const bodyBytesMax = options.bodyBytesMax ?? BODY_BYTES_MAX;
  const store = new MemoryTaskStore();
  const newId = randomUUID;
  const tasks = new Tasks({
    store,
    process: options.process,
    onError: (error, taskId) => onError(error, `task ${taskId}`),
    newId,
    now: Date.now,
  });
  let grpc: GrpcListener | undefined;
  const profileAt = (reachedAt: string): AgentProfile => profileOf(options, reachedAt, grpc?.port);
  const readable = (error: unknown): Error => asReadable(error, newId, onError);
  const reply = (message: Message): Message | undefined => {
    const said = options.reply?.(message);
    if (said === undefined) return undefined;
    const parts = typeof said === 'string' ? [textPart(said)] : [...said];
    return agentMessage({ id: newId(), taskId: '', contextId: message.contextId || newId(), parts });
  };
  const handled = (reachedAt: string) => ({
    tasks,
    store,
    profile: profileAt(reachedAt),
    reply,
    answerWaitMs,
    readable,
  });

  const streams = new OpenStreams(OPEN_STREAMS_MAX);
  const surface: HttpAgent<undefined> = {
    peerOf: (req, res) => {
      const left = new AbortController();
      res.once('close', () => left.abort());
      const cursor = { revision: undefined };
      const call = { header: (name: string) => req.get(name), cursor, signal: left.signal };
      const deps = handled(`${req.protocol}://${req.get('host') ?? host}`);
      return {
        cursor,
        left,
        opened: new Promise(() => {}),
        handlerFor: (dialect) => requestHandler(deps, { ...call, dialect }),
      };
    },
    profileOf: async (req) => profileAt(`${req.protocol}://${req.get('host') ?? host}`),
    dialectOfTask: async (req, _frame, taskId) => tasks.startedIn(taskId) ?? (req.path === '/a2a' ? 'legacy' : '0.3'),
    readable,
    streams,
    heartbeatMs: STREAM_HEARTBEAT_MS,
    readerStallMs: STREAM_STALL_MS,
  };
  const server = createServer();
  const giveUp = new AbortController();
  const stopHttp = gracefulStop({ server, streams, giveUp, graceMs: AGENT_STOP_GRACE_MS });
  server.on('request', agentApp(surface, { host, bodyBytesMax, readable }));
  const address = await listen(server, host, options.port ?? 0, (error) => onError(error, 'a connection'));
  const stop = async () => {
    await Promise.all([stopHttp(), grpc?.stop(AGENT_STOP_GRACE_MS)]);
    tasks.stop();
  };
  if (options.grpcPort !== undefined) {
    // Loaded by who needs it: most do not.
    const { listenGrpc } = await import('../grpc.ts');
    grpc = await listenGrpc({
      host,
      port: options.grpcPort,
      messageBytesMax: bodyBytesMax,
      card: async () => AgentCard.fromJSON(cardOf(profileAt(address))),
      handlerFor: ({ header, version, signal }) =>
        requestHandler(handled(address), { dialect: version, header, cursor: { revision: undefined }, signal }),
    }).catch(async (error: unknown) => {
      await stop();
      throw error;
    });
  }
  return {
    address,
    grpcPort: grpc?.port,
    get card() {
      return AgentCard.fromJSON(cardOf(profileAt(address)));
    },
    store,
    stop,
  };
}

function profileOf(options: AgentOptions, reachedAt: string, grpcPort: number | undefined): AgentProfile {
  const { name, description, version = '0.1.0', skills, publicUrl: baseUrl = reachedAt, streaming = true } = options;
  return {
    name,
    description,
    version,
    baseUrl,
    grpcAddress:
      grpcPort === undefined || !URL.canParse(baseUrl) ? undefined : `${new URL(baseUrl).hostname}:${grpcPort}`,
    skills: skills ?? [{ id: name, name, description }],
    streaming,
    extensions: [],
  };
}

/** An error as a peer may read it. Of what is a defect of ours he is told an id only. */
function asReadable(error: unknown, newId: () => string, onError: (error: unknown, about: string) => void): Error {
  if (error instanceof A2AError || error instanceof ServiceError) return error;
  if (error instanceof DomainError && error.kind === 'invalid_argument')
    return new RequestMalformedError(error.message);
  if (error instanceof DomainError && error.kind === 'permission_denied') {
    return new ServiceError(error.message, { status: 403, headers: {} });
  }
  if (error instanceof DomainError && error.kind === 'resource_exhausted') {
    return new ServiceError(error.message, { status: 429, headers: { 'Retry-After': '1' } });
  }
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
  if (status >= 400 && status < 500) return new ServiceError('the request was refused', { status, headers: {} });
  const id = newId();
  onError(error, `internal error ${id}`);
  return new ServiceError(`internal error ${id}`, { status: 500, headers: {} });
}

const printed = (error: unknown, about: string): void =>
  console.error(`${about}: ${error instanceof Error ? error.message : String(error)}`);
