/** The words of the tests: one agent, its tools, and what a user, a model, a tool and an approver do. */
import {
  type A2aNode,
  type AgentDefinition,
  type AgentNode,
  type CallAsked,
  type CallOutcomeCommand,
  type ConversationState,
  cancelRun,
  createConversation,
  decideLate,
  decideRun,
  definedAs,
  type Fact,
  type Hints,
  type HumanDecision,
  type InputAction,
  type LlmNode,
  type OfferedTool,
  type Owner,
  pendingApprovals,
  provideInput,
  provideToken,
  type RemoteAgent,
  type RemoteQuestion,
  type RequestedCall,
  type RunCommand,
  receiveMessage,
  resolveApproval,
  type StepDefinition,
  serverQuestions,
  sha256Hex,
  type Toolset,
} from '@stopgo/core';
import { approvals } from '@stopgo/proto';
import type { SamplingAnswered } from '../src/interrupts/commands.ts';
import { grantStanding, revokeStanding } from '../src/interrupts/decide-standing.ts';
import type { PolicyCaller } from '../src/policy/judge-policy.ts';
import type { Policy } from '../src/policy/policy.ts';
import type { ModelAnswered } from '../src/run/commands.ts';
import type { LateOutcome } from '../src/run/decide-late.ts';
import type { DriverContext } from '../src/run/decide-run.ts';
import { dawn } from './specification.ts';

const { DecisionKind } = approvals;

export const me = 'orchestrator-1';
export const bridge = 'bridge-1';

export function tool(name: string, hints: Partial<Hints> = {}, more: Partial<OfferedTool> = {}): OfferedTool {
  return {
    target: { kind: 'tool', server: 'resources' },
    name,
    description: `What ${name} does.`,
    inputSchemaJson: '{"type":"object"}',
    pin: sha256Hex(`pin of ${name}`),
    hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true, ...hints },
    approvalRequired: false,
    forwardsBearer: false,
    ...more,
  };
}

/** `list` only reads, `note` runs at once but not twice, `add` and `remove` are destructive, `put` may be repeated too. */
export const tools: Toolset = new Map(
  [
    tool('list', { readOnly: true, idempotent: true }),
    tool('note'),
    tool('add', { destructive: true }),
    tool('remove', { destructive: true }),
    tool('put', { destructive: true, idempotent: true }),
  ].map((one) => [one.name, one]),
);

export function llm(more: Partial<LlmNode> = {}): LlmNode {
  return {
    type: 'llm',
    name: 'assistant',
    model: 'offline',
    prompt: 'Help.',
    outputKey: '',
    canExitLoop: false,
    turnsMax: 3,
    approval: 'default',
    ...more,
  };
}
export function remote(name: string, more: Partial<RemoteAgent> = {}): RemoteAgent {
  const url = `https://${name}.example.com/a2a`;
  return { name, url, description: '', destructive: false, forwardsBearer: true, ...more };
}
/** `peer` is asked at once, `bank` only after an approval. */
export const peer = remote('peer');
export const bank = remote('bank', { destructive: true });

export function a2a(more: Partial<A2aNode> = {}): A2aNode {
  return { type: 'a2a', name: 'peer', agent: peer, prompt: '', approval: 'default', ...more };
}

export const agentOf = (root: AgentNode): AgentDefinition => ({ name: 'agent', root });
export const assistant = agentOf(llm());

/** Somebody opens a conversation. */
export const opened: Fact = createConversation({
  id: 'c0ffee00-0000-4000-8000-000000000001',
  sessionId: 'session',
  agentName: 'agent',
  systemPrompt: '',
})[0] as Fact;

/** The same, in a context where something was said before. */
export const openedInContext: Fact = createConversation({
  id: 'c0ffee00-0000-4000-8000-000000000001',
  sessionId: 'session',
  agentName: 'agent',
  systemPrompt: 'Help.',
  principal: 'member',
  contextId: 'our context',
  earlier: {
    texts: [
      { conversationId: 'c0ffee00-0000-4000-8000-000000000000', byUser: true, text: 'I am Ada, and I bake.' },
      { conversationId: 'c0ffee00-0000-4000-8000-000000000000', byUser: false, text: 'Hello Ada.' },
    ],
    leftOut: true,
  },
})[0] as Fact;

/** Of the one agent that a story is about, whichever that is, and of its tools. */
export const digests = { agentDigest: 'agent-digest', toolsetDigest: 'toolset-digest' };

type Saying = {
  readonly agent?: AgentDefinition;
  readonly runId?: string;
  readonly token?: boolean;
  readonly sessionId?: string;
  readonly policy?: Policy;
  readonly caller?: PolicyCaller;
};

/** The same, and of its policy if it has one. */
export const digestsWith = (policy: Policy | undefined) =>
  policy === undefined ? digests : { ...digests, policyDigest: 'policy-digest' };

/** The user says something. */
export function says(
  text: string,
  { agent = assistant, runId = 'run-1', token = false, sessionId, policy, caller }: Saying = {},
) {
  const names = digestsWith(policy);
  const definitions = definedAs(names, { agent, tools, ...(policy && { policy }) });
  return (state: ConversationState) =>
    receiveMessage(state, {
      text,
      runId,
      agent: { ...names, definitions },
      ...(caller && { caller }),
      instance: me,
      bearerTokenPresent: token,
      sessionId,
      now: dawn,
    });
}

/** The same, as something that happened. */
export function said(text: string, how: Saying = {}) {
  return happened(says(text, how));
}

type Driving = Partial<Omit<DriverContext, 'definitions'> & StepDefinition>;

/** A driver wants something on the record; without more, the driver that owns the run, of the assistant with its tools. */
export function drives(commands: readonly RunCommand[], how: Driving = {}) {
  const { agent = assistant, tools: known = tools, policy, ...rest } = how;
  const definitions = definedAs(digestsWith(policy), { agent, tools: known, ...(policy && { policy }) });
  return (state: ConversationState) => {
    const owner: Owner = state.run?.owner ?? { instance: me, epoch: 0 };
    const runId = state.run?.id ?? '';
    return decideRun(state, commands, { definitions, runId, me: owner, now: dawn, ...rest });
  };
}

/** Turns a command into something that happened. Throws if it was refused. */
export function happened(decide: (state: ConversationState) => { readonly kind: string }) {
  return (state: ConversationState): readonly Fact[] => {
    const decision = decide(state) as { readonly kind: string; readonly facts?: readonly Fact[] };
    if (decision.facts === undefined) throw new Error(`it did not happen: ${decision.kind}`);
    return decision.facts;
  };
}

export function call(name: string, args: unknown = {}): RequestedCall {
  return {
    providerCallId: `provider-${name}`,
    name,
    argumentsJson: typeof args === 'string' ? args : JSON.stringify(args),
  };
}

type Answer = {
  readonly text?: string;
  readonly calls?: readonly RequestedCall[];
  readonly step?: string;
  readonly usage?: ModelAnswered['usage'];
};

/** The model answers its latest question. */
export function answers({ step = 'root', ...answer }: Answer, how: Driving = {}) {
  return (state: ConversationState) => {
    const turn = (state.run?.steps[step]?.turn ?? 0) + 1;
    return drives([modelAnswered({ ...answer, step, turn })], how)(state);
  };
}

export function modelAnswered({
  text = '',
  calls = [],
  step = 'root',
  turn,
  usage,
}: Answer & { readonly turn: number }) {
  return {
    type: 'modelAnswered',
    stepId: step,
    turn,
    text,
    calls,
    usage: usage ?? { inputTokens: 1, outputTokens: 1 },
    provider: 'offline',
    model: 'offline',
    opaque: new Uint8Array(),
    stopReason: 'end',
  } as const;
}

export const answered = (answer: Answer, how: Driving = {}) => happened(answers(answer, how));
export const drove = (commands: readonly RunCommand[], how: Driving = {}) => happened(drives(commands, how));

export const starts = (callId: string, attempt = 1): RunCommand => ({ type: 'startCall', callId, attempt, bridge });

export function returns(callId: string, content = 'done', attempt = 1, isError = false) {
  return { type: 'callFinished', callId, attempt, tool: 'add', content, isError, durationMs: 5 } as const;
}
/** Another agent has answered. */
export function replies(callId: string, content = 'done', attempt = 1, isError = false, agent = 'peer') {
  const state = isError ? 'failed' : 'completed';
  const by = { agent, task: { id: `task of ${callId}`, state } };
  return { ...returns(callId, content, attempt, isError), tool: `a2a_${agent}`, by } as const;
}
/** An a2a node has its message. */
export const delegates = (stepId: string, message = 'Do it.'): RunCommand => ({ type: 'delegate', stepId, message });
/** Another agent tells of its task. */
export function tells(callId: string, state = 'working', attempt = 1): RunCommand {
  return { type: 'delegationUpdated', callId, attempt, task: { id: `task of ${callId}`, state }, text: 'Soon.' };
}
/** A question of another agent, as one of ours shows it. */
export function question(key: string, more: Partial<RemoteQuestion> = {}): RemoteQuestion {
  const approval = {
    id: key,
    tool: 'pay',
    server: 'bank',
    argumentsJson: `{"to":"${key}"}`,
    choices: [],
    agents: ['till'],
  };
  return { key, kind: 'approval', prompt: `May I ${key}?`, approval, ...more };
}
/** Another agent waits for these now, or has ended without any. */
export function asksFor(
  callId: string,
  questions: readonly RemoteQuestion[],
  closed: readonly string[] = [],
  attempt = 1,
  notTaken: readonly string[] = [],
) {
  const task = { id: `task of ${callId}`, state: questions.length > 0 ? 'input-required' : 'completed' };
  return {
    type: 'delegationAsked',
    callId,
    attempt,
    task,
    text: '',
    questions,
    closed,
    notTaken,
  } as const satisfies RunCommand;
}
export const answersTo = (callId: string, key: string, attempt = 1): RunCommand => ({
  type: 'answerDelegation',
  callId,
  attempt,
  key,
});
/** What a tool server asks in the midst of a call. */
export function serverQuestion(id = 'q-1', more: Partial<CallAsked['questions'][number]> = {}) {
  const schema = { type: 'object', properties: { amount: { type: 'integer', minimum: 1 } }, required: ['amount'] };
  return { id, message: 'How many?', schemaJson: JSON.stringify(schema), url: '', waitMs: 60_000, ...more };
}
/** What a server has a model asked. */
export const samplingAsked = {
  systemPrompt: 'Be kind.',
  messages: [{ byModel: false, text: 'Say hello.' }],
  maxTokens: 50,
  stopSequences: [],
};
export function samplingQuestion(id = 's-1', sampling = samplingAsked): CallAsked['questions'][number] {
  return { id, message: '', schemaJson: '', url: '', waitMs: 60_000, sampling };
}
/** What the model made of it; without an answer, why there is none. */
export function modelAnswers(inputId: string, contentJson = '{"role":"assistant"}', error = ''): SamplingAnswered {
  const usage = { inputTokens: 7, outputTokens: 3 };
  return { type: 'samplingAnswered', inputId, contentJson, error, provider: 'gemini', model: 'm-1', usage };
}
export function serverAsks(
  callId: string,
  questions = [serverQuestion()],
  attempt = 1,
  lapsed: readonly string[] = [],
): RunCommand {
  return { type: 'callAsked', callId, attempt, bridge, questions, lapsed };
}
/** A person answers the oldest question that a call waits with. */
export function provides(callId: string, action: InputAction = 'accept', contentJson = '', sessionId?: string) {
  return happened((state) => {
    const [input] = serverQuestions(state.run).filter((one) => one.callId === callId);
    return provideInput(state, { now: 0, inputId: input?.id ?? '', action, contentJson, sessionId });
  });
}
export function unknown(callId: string, attempt = 1) {
  return { type: 'callUnknown', callId, attempt, reason: 'the tool server died', argumentsJson: '{}' } as const;
}
export function notStarted(callId: string, attempt = 1): CallOutcomeCommand {
  return { type: 'callNotStarted', callId, attempt, message: 'the bridge never saw it' };
}
export function notAllowed(callId: string, attempt = 1): CallOutcomeCommand {
  return { type: 'callNotAllowed', callId, attempt, message: 'the approval is void' };
}
export function unauthenticated(callId: string, attempt = 1): CallOutcomeCommand {
  return { type: 'callUnauthenticated', callId, attempt, prompt: 'Sign in.' };
}
export function changed(callId: string, current: OfferedTool, attempt = 1): CallOutcomeCommand {
  return { type: 'callPinChanged', callId, attempt, current, argumentsJson: '{}' };
}

/** The latest approval that is pending for a call; without one, the oldest of all. */
export function approvalOf(state: ConversationState, callId?: string): string {
  const pending = pendingApprovals(state.run);
  const ofCall = pending.filter((id) => callId === undefined || state.run?.interrupts[id]?.callId === callId);
  const id = callId === undefined ? ofCall[0] : ofCall.at(-1);
  if (id === undefined) throw new Error(`nothing is pending for ${callId ?? 'any call'}`);
  return id;
}

/** Somebody lets the like of a call run for the rest of the conversation. */
export const grants = (callId: string, callArguments: 'same' | 'any' = 'any') =>
  happened((state) => grantStanding(state, { approvalId: approvalOf(state, callId), callArguments }));
/** Somebody takes the latest of that back. */
export const revokes = () =>
  happened((state) => revokeStanding(state, { standingId: state.standing?.at(-1)?.id ?? '' }));

/** Somebody decides on the approval of a call. */
export function decides(decision: HumanDecision, callId?: string, sessionId?: string) {
  return (state: ConversationState) =>
    resolveApproval(state, { approvalId: approvalOf(state, callId), decision, sessionId });
}
export const approved = (callId?: string, sessionId?: string) =>
  happened(decides({ kind: DecisionKind.APPROVE }, callId, sessionId));
export const rejected = (callId?: string) => happened(decides({ kind: DecisionKind.REJECT }, callId));
export const decided = (decision: HumanDecision, callId?: string) => happened(decides(decision, callId));

export const cancels = (state: ConversationState) => cancelRun(state, { reason: 'the user left' });
export const canceled = happened(cancels);
export const bringsToken = (state: ConversationState): readonly Fact[] => provideToken(state);
export const handsInLate =
  (
    callId: string,
    content: string,
    attempt = 1,
    runId = 'run-1',
    ends: (...what: Parameters<typeof returns>) => LateOutcome = returns,
  ) =>
  (state: ConversationState) =>
    decideLate(state, runId, 'root', ends(callId, content, attempt));
/** The run's own process takes it up again. */
export const claim: RunCommand = { type: 'claim', dead: [] };
/** Another process takes the run over; `dead`: who owned it. */
export const takesOver = (dead = me): RunCommand[] => [{ type: 'claim', dead: [dead] }];
