import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AgentCard, Message, TaskState } from 'a2a-sdk-0-3';
import { type AgentExecutor, DefaultRequestHandler, InMemoryTaskStore } from 'a2a-sdk-0-3/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from 'a2a-sdk-0-3/server/express';
import { A2AService, grpcService } from 'a2a-sdk-0-3/server/grpc';
import express from 'express';
import { type Behaviour, grpcServer, type SdkAgent, type SdkAgentOptions, seenCalls } from './sdk-agent.ts';

/** The words of 0.3 for the numbers of the protocol's states. */
const STATES: readonly TaskState[] = [
  'unknown',
  'submitted',
  'working',
  'completed',
  'failed',
  'canceled',
  'input-required',
  'rejected',
  'auth-required',
];

/** As `sdkAgent`, made with the official SDK of the 0.3 line. */
export async function sdkAgent03(
  { binding, streaming = false, notifies = false }: Omit<SdkAgentOptions, 'version'>,
  behave: Behaviour,
): Promise<SdkAgent> {
  const taken: string[] = [];
  const requests: SdkAgent['requests'] = [];
  const app = express();
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a2a`;
  const grpc = await grpcServer();
  const card: AgentCard = {
    name: 'peer',
    description: 'A peer of 0.3',
    version: '1.0.0',
    protocolVersion: '0.3.0',
    url: binding === 'GRPC' ? grpc.address : url,
    preferredTransport: binding,
    capabilities: { streaming, pushNotifications: notifies },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
  };
  const contexts = new Map<string, string>();
  const executor: AgentExecutor = {
    execute: async ({ userMessage, taskId, contextId }, bus) => {
      taken.push(userMessage.messageId);
      contexts.set(taskId, contextId);
      const said = (text: string): Message => ({
        kind: 'message',
        messageId: 'said',
        role: 'agent',
        taskId,
        contextId,
        parts: [{ kind: 'text', text }],
      });
      const statusOf = (state: number, text?: string) => ({
        state: STATES[state] ?? 'unknown',
        ...(text === undefined ? {} : { message: said(text) }),
      });
      await behave({
        text: userMessage.parts.map((part) => (part.kind === 'text' ? part.text : '')).join(''),
        messageId: userMessage.messageId,
        taskId,
        task: (state) =>
          bus.publish({ kind: 'task', id: taskId, contextId, status: statusOf(state), history: [userMessage] }),
        status: (state, text) => {
          const isLast = state > 2 && state !== 6;
          bus.publish({ kind: 'status-update', taskId, contextId, status: statusOf(state, text), final: isLast });
        },
        artifact: (text, append = false) =>
          bus.publish({
            kind: 'artifact-update',
            taskId,
            contextId,
            artifact: { artifactId: 'a', parts: [{ kind: 'text', text }] },
            append,
          }),
        message: (text) => bus.publish(said(text)),
        finished: () => bus.finished(),
      });
    },
    cancelTask: async (taskId, bus) => {
      const contextId = contexts.get(taskId) ?? '';
      bus.publish({ kind: 'status-update', taskId, contextId, status: { state: 'canceled' }, final: true });
      bus.finished();
    },
  };
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  app.use(express.json({ type: () => true }));
  app.use((request, _response, next) => {
    requests.push({ path: request.path, headers: request.headers, body: request.body });
    next();
  });
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
  const given = { requestHandler, userBuilder: UserBuilder.noAuthentication };
  if (binding === 'JSONRPC') app.use('/a2a', jsonRpcHandler(given));
  if (binding === 'HTTP+JSON') app.use('/a2a', restHandler(given));
  if (binding === 'GRPC')
    grpc.server.addService(A2AService, grpcService({ requestHandler, userBuilder: seenCalls(requests) }));
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
