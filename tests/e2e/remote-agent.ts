import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AgentCard } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutor, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';

const working = 2;
const completed = 3;
const canceled = 5;

/** An agent made with the official SDK that answers `<message>: done`. */
export type RemoteAgent = {
  readonly url: string;
  /** Everything that it was asked, by its JSON-RPC method. */
  readonly requests: readonly {
    readonly method: string;
    readonly headers: IncomingHttpHeaders;
    readonly body: unknown;
  }[];
  /** What its code was given to do. */
  readonly taken: readonly string[];
  /** From now on it works until it is let go. */
  hold(): void;
  letGo(): void;
  end(): void;
};

export async function remoteAgent(): Promise<RemoteAgent> {
  const app = express();
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a2a`;
  const requests: { method: string; headers: IncomingHttpHeaders; body: unknown }[] = [];
  const taken: string[] = [];
  const contexts = new Map<string, string>();
  let held = Promise.resolve();
  let letGo = (): void => undefined;
  const executor: AgentExecutor = {
    execute: async ({ taskId, contextId, userMessage }, bus) => {
      const [part] = userMessage.parts;
      const text = part?.content?.$case === 'text' ? part.content.value : '';
      taken.push(text);
      contexts.set(taskId, contextId);
      const status = (state: number) => ({ state, message: undefined, timestamp: undefined });
      const task = { id: taskId, contextId, artifacts: [], history: [], metadata: undefined };
      bus.publish(AgentEvent.task({ ...task, status: status(working) }));
      await held;
      const parts = [
        {
          content: { $case: 'text' as const, value: `${text}: done` },
          metadata: undefined,
          filename: '',
          mediaType: 'text/plain',
        },
      ];
      const artifact = { artifactId: 'a', name: '', description: '', parts, metadata: undefined, extensions: [] };
      const more = { append: false, lastChunk: true, metadata: undefined };
      bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, artifact, ...more }));
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(completed), metadata: undefined }));
      bus.finished();
    },
    cancelTask: async (taskId, bus) => {
      const contextId = contexts.get(taskId) ?? '';
      const status = { state: canceled, message: undefined, timestamp: undefined };
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
      bus.finished();
    },
  };
  const handler = new DefaultRequestHandler(cardOf(url), new InMemoryTaskStore(), executor);
  app.use(express.json());
  app.use((request, _response, next) => {
    requests.push({ method: request.body?.method ?? '', headers: request.headers, body: request.body });
    next();
  });
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: handler }));
  app.use('/a2a', jsonRpcHandler({ requestHandler: handler, userBuilder: UserBuilder.noAuthentication }));
  return {
    url,
    requests,
    taken,
    hold: () => {
      held = new Promise((resolve) => {
        letGo = resolve;
      });
    },
    letGo: () => letGo(),
    end: () => {
      letGo();
      server.closeAllConnections();
      server.close();
    },
  };
}

function cardOf(url: string): AgentCard {
  return {
    name: 'peer',
    description: 'A peer',
    version: '1.0.0',
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
    provider: undefined,
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
    signatures: [],
  };
}
