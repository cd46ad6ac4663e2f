import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ServerCallContext } from '@stopgo/a2a-agent';
import { AgentCore, type Message, type Part, textPart } from '@stopgo/a2a-agent/agent';
import { type OneProcessOptions, startOneProcess } from '@stopgo/cli';
import { createLogger, parseAgentConfig, type Started } from '@stopgo/runtime';
import { behaviourOf } from './over-library.ts';
import { isBeyondAConversation, TOLD_MS } from './script.ts';
import { scriptedModel, withMessageId } from './scripted-model.ts';
import { REQUIRED_EXTENSION, type Settings } from './settings.ts';

const root = join(import.meta.dirname, '../..');

/**
 * The platform in one process: the gateway with its handler, the store, the orchestrator, the tools, all as they are. What is
 * scripted is the model. What no conversation can show is answered by an agent of the library, through the same surface.
 */
export async function startOverServices(settings: Settings): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), 'stopgo-conformance-'));
  try {
    const platform = await startOneProcess({
      config: parseAgentConfig(configOf(settings, folder), 'conformance.yaml').config,
      env: { GEMINI_API_KEY: 'none-needed' },
      logger: createLogger({ level: 'warn', format: 'text', destination: process.stderr }),
      version: 'conformance',
      gateway: {
        a2aGrpcAsUrl: true,
        a2aStreaming: settings.streaming,
        a2aPush: settings.push,
        interceptA2A: beyond(settings),
      },
      intercept: { models: () => ({ forModel: () => scriptedModel }) },
    });
    const stop = async () => {
      await platform.stop();
      rmSync(folder, { recursive: true, force: true });
    };
    return { ...platform, stop };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** JSON is YAML. */
const configOf = ({ port, grpcPort, extendedCard, requiredExtension }: Settings, folder: string): string =>
  JSON.stringify({
    name: 'conformance',
    description: 'Does what the conformance kit asks for.',
    host: '127.0.0.1',
    port,
    a2a_grpc_port: grpcPort,
    data_dir: join(folder, 'data'),
    prompt: 'Do what the kit asks for.',
    // The kit is told on this machine.
    push: { allow_private: true },
    mcp_servers: [
      {
        name: 'resources',
        command: process.execPath,
        args: [
          ...['--import', 'tsx', '--conditions=stopgo-source', join(root, 'mcp-servers/resources/src/main.ts')],
          ...['--db', join(folder, 'resources.db')],
        ],
      },
    ],
    ...(extendedCard
      ? { a2a_extended_card: { skills: [{ id: 'more', name: 'more', description: 'Only for those who ask.' }] } }
      : {}),
    ...(requiredExtension ? { a2a_required_extensions: [REQUIRED_EXTENSION] } : {}),
  });

type InterceptA2A = NonNullable<NonNullable<OneProcessOptions['gateway']>['interceptA2A']>;

/** Hands messages that are beyond a conversation, and what is asked of their tasks, to an agent of the library. */
function beyond(settings: Settings): InterceptA2A {
  const core = new AgentCore(behaviourOf(settings));
  const approver = new ScriptedApprover();
  return (services, { dialect, cursor, signal, extensions }) => {
    const call = { dialect, cursor, signal, header: () => undefined };
    const library = core.handlerFor(call, extensions, core.profileAt(''));
    const pendingIn = async (taskId: string) => {
      const task = await services.getTask({ tenant: '', id: taskId, historyLength: 0 }, new ServerCallContext());
      return (task.status?.message?.parts ?? []).flatMap(approvalIdIn)[0];
    };
    const of = ({ id }: { readonly id: string }) => (core.store.find(id) === undefined ? services : library);
    return {
      ...services,
      sendMessage: async (params, context) => {
        const { message } = params;
        if (message && (isBeyondAConversation(message) || core.store.find(message.taskId)))
          return library.sendMessage(params, context);
        const meant = { ...params, message: message && (await approver.meant(message, pendingIn)) };
        const answer = await withMessageId(message?.messageId ?? '', () => services.sendMessage(meant, context));
        if (meant.message !== message) await pause(TOLD_MS);
        return answer;
      },
      sendMessageStream: async function* (params, context) {
        const { message } = params;
        if (message && isBeyondAConversation(message)) return yield* library.sendMessageStream(params, context);
        const meant = { ...params, message: message && (await approver.meant(message, pendingIn)) };
        yield* within(message?.messageId ?? '', services.sendMessageStream(meant, context));
      },
      getTask: (params, context) => of(params).getTask(params, context),
      cancelTask: (params, context) => of(params).cancelTask(params, context),
      resubscribe: (params, context) => of(params).resubscribe(params, context),
    };
  };
}

/**
 * What waits on the platform waits for an approval. The kit goes on with what waits by saying something else: that is a yes here.
 * Not so in the scenes of 1.0 that say several things before the one that ends them: their words are looked for afterwards, and
 * the platform keeps none that decide nothing, so that those scenes end early.
 */
class ScriptedApprover {
  readonly #undecided = new Set<string>();

  /** @param pendingIn - gives the approval that a task waits for. */
  async meant(message: Message, pendingIn: (taskId: string) => Promise<string | undefined>): Promise<Message> {
    const { taskId, messageId, parts } = message;
    if (taskId === '' || !parts.every(saysSomething)) return message;
    const isOfScene = messageId.startsWith('tck-');
    if (isOfScene && (!messageId.startsWith('tck-complete-task') || this.#undecided.has(taskId))) {
      this.#undecided.add(taskId);
      return message;
    }
    // What becomes of a message to a task that is none is for the platform to say.
    const approvalId = await pendingIn(taskId).catch(() => undefined);
    return approvalId === undefined ? message : { ...message, parts: [textPart(`yes ${approvalId}`)] };
  }
}

const saysSomething = ({ content }: Part): boolean => content?.$case === 'text' && content.value.trim() !== '';

function approvalIdIn({ content }: Part): string[] {
  if (content?.$case !== 'data' || !isObject(content.value)) return [];
  const { approval_id: id } = content.value;
  return typeof id === 'string' ? [id] : [];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

async function* within<T>(messageId: string, events: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  try {
    for (;;) {
      const next = await withMessageId(messageId, () => events.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await events.return(undefined);
  }
}
