import { failedPrecondition, invalidArgument, isHeld, isRepeatable, unavailable } from '@stopgo/core';
import { create, facts, mcp } from '@stopgo/proto';
import type { ServiceImpl } from '@stopgo/rpc';
import { abortsWithin } from '@stopgo/runtime';
import type { AttemptState, Attempts } from './attempts/attempts.ts';
import type { ExecutorDependencies } from './attempts/call.ts';
import { makeAttempt } from './attempts/executor.ts';
import { questionMessage, refused } from './attempts/outcome.ts';
import type { QuestionAnswer } from './questions/open-questions.ts';
import { type ServerStatus, serverMessage } from './servers/server-status.ts';
import type { Acceptance, HeldTool } from './tools/acceptance.ts';
import type { Catalogue } from './tools/catalogue.ts';
import { heldInstructionsMessage, toolMessage } from './tools/tool-messages.ts';

/** Longest message about progress that is passed on, in characters. */
const messageMax = 1_000;

/** What the service is made of. */
export type ServiceDependencies = ExecutorDependencies & {
  readonly catalogue: () => Catalogue;
  /** Names of servers that have not listed their tools yet. */
  readonly unlisted: () => readonly string[];
  readonly attempts: Attempts;
  readonly acceptance: Acceptance;
  readonly stopping: () => boolean;
  /** The servers in the order of the configuration. */
  readonly servers: () => readonly ServerStatus[];
};

/** The surface of the bridge: `stopgo.mcp.v1.McpBridgeService`. */
export function createService(dependencies: ServiceDependencies): ServiceImpl<typeof mcp.McpBridgeService> {
  const { standing, catalogue, attempts, stopping, servers, bounds, clock } = dependencies;

  const check = (request: { readonly key?: mcp.CallKey | undefined; readonly instance: string }): mcp.CallKey => {
    // A former id of ours will do: what became of its attempts is known here, and none of them is sent any more.
    if (!standing.hasBeen(request.instance)) {
      const { instance } = standing;
      throw failedPrecondition(
        `this is the bridge instance ${instance}, and the call is for ${request.instance || 'none'}; ask that one`,
        { reason: 'wrong_instance', instance },
      );
    }
    const { key } = request;
    if (key === undefined || key.conversationId === '' || key.runId === '' || key.callId === '') {
      throw invalidArgument('key: conversation_id, run_id and call_id are required');
    }
    return key;
  };

  return {
    listTools: async (request) => {
      // Whoever hears this sends its next calls to another instance.
      if (stopping()) throw unavailable('the bridge is stopping; ask another one');
      const { revision, tools, held, instructions } = catalogue();
      const { instance } = standing;
      const unlistedServers = [...dependencies.unlisted()];
      if (request.knownRevision === revision) return { revision, instance, unchanged: true, unlistedServers };
      const said = instructions.filter(({ pinState }) => !isHeld(pinState));
      return {
        ...{ revision, instance, tools: tools.map(toolMessage), held: held.map(toolMessage), unlistedServers },
        instructions: said.map(({ server, text, pin, definitionJson }) => ({ server, text, pin, definitionJson })),
      };
    },

    // A caller that leaves does not end its call: the attempt is on record, and its outcome can be asked for.
    execute: async (request, context) => {
      const key = check(request);
      const token = context.bearerToken?.reveal();
      const tool = dependencies.tool(request.server, request.tool);
      // The pin stands for the definition that the call may run with; any other is refused.
      const repeatable = tool !== undefined && tool.pin === request.pin && isRepeatable(tool.hints);
      return attempts.execute(key, repeatable, (watch) =>
        stopping()
          ? Promise.resolve(
              refused(
                mcp.RefusedReason.FENCED,
                'the bridge is stopping; the call was not sent, and another may make it',
              ),
            )
          : makeAttempt(request, token, watch, dependencies),
      );
    },

    fenceCall: async (request) => {
      const key = check(request);
      const state = attempts.fence(key);
      if (state.kind !== 'running' || request.waitMs === 0) return { state: fenceState(state, clock()) };
      const limit = abortsWithin(Math.min(request.waitMs, bounds.newsWaitMs));
      await attempts.news(key, request.knownQuestions, limit);
      return { state: fenceState(attempts.fence(key), clock()) };
    },

    answerCall: async (request) => {
      const { questionId, contentJson } = request;
      const action = actions[request.action];
      if (action === undefined) throw invalidArgument('action: ACCEPT, DECLINE or CANCEL is required');
      const handed = await attempts.answer(check(request), questionId, { action, contentJson });
      return { taken: handed === 'taken', askedAnew: handed === 'lapsed' };
    },

    listServers: async () => ({ instance: standing.instance, servers: servers().map(serverMessage) }),

    listHeldTools: async (_, { signal }) => {
      const held = await dependencies.acceptance.held(signal);
      const message = (tool: HeldTool['tool']) => ('text' in tool ? heldInstructionsMessage(tool) : toolMessage(tool));
      return { tools: held.map(({ tool, ...accepted }) => ({ tool: message(tool), ...accepted })) };
    },

    acceptTools: async () => {
      throw failedPrecondition(
        'tools are accepted by the approvals service: replace the gateway with one of this version',
      );
    },

    defineTools: async ({ tools }, { signal }) => {
      if (stopping()) throw unavailable('the bridge is stopping; ask another one');
      return { servers: await dependencies.acceptance.define(tools, signal) };
    },

    learnAccepted: async ({ servers: accepted }, { signal }) => {
      await dependencies.acceptance.learn(accepted, signal);
      return {};
    },

    cancelCall: async (request) => ({ found: attempts.cancel(check(request)) }),
  };
}

const actions: Readonly<Partial<Record<facts.InputAction, QuestionAnswer['action']>>> = {
  [facts.InputAction.ACCEPT]: 'accept',
  [facts.InputAction.DECLINE]: 'decline',
  [facts.InputAction.CANCEL]: 'cancel',
};

function fenceState(state: AttemptState, now: number): mcp.FenceCallResponse['state'] {
  switch (state.kind) {
    case 'never_seen':
      return { case: 'neverSeen', value: create(mcp.NeverSeenSchema) };
    case 'running': {
      const { waiting, progress, lapsedQuestions } = state;
      const told = progress && {
        progress: progress.progress,
        progressMessage: (progress.message ?? '').slice(0, messageMax),
      };
      const questions = state.questions.map((one) => questionMessage(one, now));
      const value = {
        waiting,
        ...told,
        progressTotal: progress?.total ?? 0,
        questions,
        lapsedQuestions: [...lapsedQuestions],
      };
      return { case: 'running', value: create(mcp.RunningSchema, value) };
    }
    case 'outcome':
      return { case: 'outcome', value: state.outcome };
    case 'forgotten':
      return { case: 'forgotten', value: create(mcp.ForgottenSchema) };
  }
}
