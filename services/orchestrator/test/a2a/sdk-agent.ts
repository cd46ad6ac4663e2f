import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AgentCard, Part, Task } from '@a2a-js/sdk';
import { LegacyA2AService, legacyGrpcService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  type RequestContext,
} from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';
import { type Metadata, Server, ServerCredentials } from '@grpc/grpc-js';
import express from 'express';

/** How an agent of the official SDK is offered. */
export type SdkAgentOptions = {
  readonly version: '1.0' | '0.3';
  readonly binding: 'JSONRPC' | 'HTTP+JSON' | 'GRPC';
  readonly streaming?: boolean;
  /** Posts to addresses that it is given. */
  readonly notifies?: boolean;
  readonly extensions?: readonly string[];
  /** Answers as this agent does; `next` is the SDK's own handling. */
  readonly before?: express.RequestHandler;
};

/** What the agent does with a task, by numbers of the protocol's states. */
export type Behaviour = (turn: Turn) => void | Promise<void>;

export type Turn = {
  readonly text: string;
  readonly messageId: string;
  readonly taskId: string;
  task(state: number): void;
  status(state: number, text?: string): void;
  artifact(text: string, append?: boolean): void;
  message(text: string): void;
  /** Ends the turn. */
  finished(): void;
};

export type SdkAgent = {
  readonly url: string;
  /** Of its port for gRPC, which only its card names. */
  readonly grpcOrigin: string;
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: unknown }[];
  /** Message ids that the agent's code was given. */
  readonly taken: string[];
  close(): void;
};

/** An agent made with the official SDK, on a free port of this machine. */
export async function sdkAgent(options: SdkAgentOptions, behave: Behaviour): Promise<SdkAgent> {
  const {
    version,
    binding,
    streaming = false,
    notifies = false,
    extensions = [],
    before = (_request, _response, next) => next(),
  } = options;
  const taken: string[] = [];
  const requests: SdkAgent['requests'] = [];
  const app = express();
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a2a`;
  const grpc = await grpcServer();
  const card: AgentCard = {
    name: 'peer',
    description: 'A peer',
    version: '1.0.0',
    supportedInterfaces: [
      { url: binding === 'GRPC' ? grpc.address : url, protocolBinding: binding, protocolVersion: version, tenant: '' },
    ],
    provider: undefined,
    capabilities: {
      streaming,
      pushNotifications: notifies,
      extendedAgentCard: false,
      extensions: extensions.map((uri) => ({ uri, description: '', required: false, params: undefined })),
    },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
    signatures: [],
  };
  const executor: AgentExecutor = {
    execute: async (context, bus) => {
      taken.push(context.userMessage.messageId);
      await behave(turnOf(context, bus));
    },
    cancelTask: async (taskId, bus) => {
      bus.publish(AgentEvent.statusUpdate(statusUpdate(taskId, 'c', 5)));
      bus.finished();
    },
  };
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  const given = {
    requestHandler,
    userBuilder: UserBuilder.noAuthentication,
    legacyCompat: { enabled: version === '0.3' },
  };
  app.use(express.json({ type: () => true }));
  app.use((request, response, next) => {
    requests.push({ path: request.path, headers: request.headers, body: request.body });
    return before(request, response, next);
  });
  app.use(
    '/.well-known/agent-card.json',
    agentCardHandler({ agentCardProvider: requestHandler, ...compatOf(version) }),
  );
  if (binding === 'JSONRPC') app.use('/a2a', jsonRpcHandler(given));
  if (binding === 'HTTP+JSON') app.use('/a2a', restHandler(given));
  if (binding === 'GRPC') {
    const userBuilder = seenCalls(requests);
    if (version === '1.0') grpc.server.addService(A2AService, grpcService({ requestHandler, userBuilder }));
    else grpc.server.addService(LegacyA2AService, legacyGrpcService({ requestHandler, userBuilder }));
  }
  return {
    url,
    grpcOrigin: `http://${grpc.address}`,
    requests,
    taken,
    close: () => {
      grpc.server.forceShutdown();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A server for gRPC on a free port of this machine. */
export async function grpcServer(): Promise<{ readonly server: Server; readonly address: string }> {
  const server = new Server();
  const port = await new Promise<number>((resolve, reject) => {
    const bound = (error: Error | null, at: number) => (error === null ? resolve(at) : reject(error));
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), bound);
  });
  return { server, address: `127.0.0.1:${port}` };
}

/** Notes what came with each call. */
export const seenCalls =
  (requests: SdkAgent['requests']) => async (call: { readonly metadata: Metadata; readonly request?: unknown }) => {
    const headers = Object.fromEntries(
      Object.entries(call.metadata.getMap()).map(([name, one]) => [name, String(one)]),
    );
    requests.push({ path: 'grpc', headers, body: 'request' in call ? call.request : undefined });
    return { isAuthenticated: false, userName: '' };
  };

const compatOf = (version: string) => ({ legacyCompat: { enabled: version === '0.3' } });

function turnOf({ userMessage, taskId, contextId }: RequestContext, bus: ExecutionEventBus): Turn {
  const textOf = (parts: readonly Part[]): string =>
    parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');
  return {
    text: textOf(userMessage.parts),
    messageId: userMessage.messageId,
    taskId,
    task: (state) => {
      const task: Task = {
        id: taskId,
        contextId,
        status: { state, message: undefined, timestamp: undefined },
        artifacts: [],
        history: [userMessage],
        metadata: undefined,
      };
      bus.publish(AgentEvent.task(task));
    },
    status: (state, text) => bus.publish(AgentEvent.statusUpdate(statusUpdate(taskId, contextId, state, text))),
    artifact: (text, append = false) =>
      bus.publish(
        AgentEvent.artifactUpdate({
          taskId,
          contextId,
          artifact: {
            artifactId: 'a',
            name: '',
            description: '',
            parts: [textPart(text)],
            metadata: undefined,
            extensions: [],
          },
          append,
          lastChunk: false,
          metadata: undefined,
        }),
      ),
    message: (text) => bus.publish(AgentEvent.message(messageOf(text, contextId, ''))),
    finished: () => bus.finished(),
  };
}

const textPart = (text: string): Part => ({
  content: { $case: 'text', value: text },
  metadata: undefined,
  filename: '',
  mediaType: 'text/plain',
});

const messageOf = (text: string, contextId: string, taskId: string) => ({
  messageId: 'said',
  contextId,
  taskId,
  role: 2,
  parts: [textPart(text)],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});

function statusUpdate(taskId: string, contextId: string, state: number, text?: string) {
  const message = text === undefined ? undefined : messageOf(text, contextId, taskId);
  return { taskId, contextId, status: { state, message, timestamp: undefined }, metadata: undefined };
}
