import { calledRoot, isBelow, parsePlace, printPlace, rootStep } from '@stopgo/core/step-id';
import { type LogEvent, list, number, object, type Payload, text } from '../api/payload.ts';
import { nameOf } from '../chat/transcript.ts';
import type { Answer, NodeKind, NodeState, SeenApproval, Wait } from './run-node.ts';
import { nothingSpent, plus, type Spent, spentByAnswer } from './spent.ts';

// What the events of a conversation tell of its runs. How a node that goes on stands follows from that (run-view.ts).

type Ended = Exclude<NodeState, 'ready' | 'running' | 'waiting' | 'dependency' | 'paused' | 'doubt'>;
/** How far a call has come: judged, to be made, under way, or nobody knows. */
type Phase = 'gated' | 'ready' | 'running' | 'doubt';

export type NodeRecord = {
  readonly id: string;
  readonly parent?: string;
  readonly kind: NodeKind;
  name: string;
  type: string;
  readonly server: string;
  readonly round?: number;
  phase: Phase;
  ended?: Ended;
  startedAt?: number;
  endedAt?: number;
  ranAt?: number;
  ranMs?: number;
  waitedMs: number;
  readonly waits: Map<string, Wait>;
  readonly approvals: Map<string, SeenApproval>;
  attempts: number;
  readonly answers: Answer[];
  own: Spent;
  asked?: string;
  args?: string;
  gave?: string;
  completion?: string;
  readonly isRepeatable: boolean;
  readonly reason: string;
  readonly notes: string[];
  source?: { repository: string; path: string; commit: string };
};

export type RunRecord = {
  readonly id: string;
  readonly number: number;
  message: string;
  startedAt?: number;
  endedAt?: number;
  ended?: 'completed' | 'failed' | 'canceled';
  isPaused: boolean;
  readonly nodes: Map<string, NodeRecord>;
  /** Which node an input is asked for by. */
  readonly inputs: Map<string, string>;
};

/** Takes in the events of a conversation in their order. */
export class RunsRecord {
  readonly runs: RunRecord[] = [];
  readonly #byId = new Map<string, RunRecord>();
  /** Texts that outputs refer to, by the revision of their event. */
  readonly #texts = new Map<number, string>();
  #agent = '';
  revision = 0;

  /** One that was taken in already changes nothing. */
  take(event: LogEvent): void {
    if (event.revision <= this.revision) return;
    this.revision = event.revision;
    const { payload } = event;
    if (payload === null) return;
    if (event.type === 'conversation_created') this.#agent = text(payload, 'agent_name');
    const said = event.type === 'model_responded' ? text(payload, 'text') : text(payload, 'content');
    if (said !== '') this.#texts.set(event.revision, said);
    const id = text(payload, 'run_id');
    if (id === '') return;
    const run = this.#byId.get(id) ?? this.#begin(id);
    take(run, event, { agent: this.#agent, output: (value) => this.#output(value) });
  }

  #begin(id: string): RunRecord {
    const run: RunRecord = {
      ...{ id, number: this.runs.length + 1, message: '', isPaused: false, nodes: new Map(), inputs: new Map() },
    };
    this.runs.push(run);
    this.#byId.set(id, run);
    return run;
  }

  /** What a step came to: texts of its own, and those of other events. */
  #output(value: unknown): string {
    return list(object(value).parts)
      .map((part) => {
        const at = number(part, 'answer_revision') || number(part, 'result_revision');
        return at === 0 ? text(part, 'text') : (this.#texts.get(at) ?? text(part, 'text'));
      })
      .join('\n');
  }
}

type Around = { readonly agent: string; readonly output: (value: unknown) => string };

function take(run: RunRecord, event: LogEvent, { agent, output }: Around): void {
  const { payload } = event;
  const at = event.time === null ? undefined : Date.parse(event.time);
  const ofStep = () => run.nodes.get(text(payload, 'step_id'));
  const ofCall = () => callAt(run, text(payload, 'call_id'));
  switch (event.type) {
    case 'user_message_received':
      run.message = text(payload, 'text');
      return;
    case 'run_started': {
      run.startedAt = at;
      const root = addStep(run, rootStep, { kind: 'agent', name: agent, startedAt: at });
      root.asked = run.message;
      root.source = sourceOf(payload.agent_source);
      return;
    }
    case 'step_started': {
      const step = addStep(run, text(payload, 'step_id'), { kind: 'step', name: text(payload, 'node'), startedAt: at });
      step.type = text(payload, 'node_type');
      step.startedAt ??= at;
      return;
    }
    case 'model_responded':
      takeAnswer(run, payload, at);
      return;
    case 'model_failed':
      ofStep()?.notes.push(`The model ${text(payload, 'model')} could not answer: ${text(payload, 'message')}`);
      return;
    case 'model_answered_nothing':
      ofStep()?.notes.push(`The model ${text(payload, 'model')} answered nothing, and was asked again.`);
      return;
    case 'step_reminded':
      ofStep()?.notes.push('It answered without saying that its task is done, and was asked to.');
      return;
    case 'delegation_requested':
      addCall(run, text(payload, 'step_id'), object(payload.call), at);
      return;
    case 'agent_called': {
      const node = ofCall();
      if (node === undefined) return;
      Object.assign(node, { phase: 'running', startedAt: at, name: text(payload, 'agent') || node.name });
      node.source = sourceOf(payload.source);
      return;
    }
    case 'agent_returned': {
      const node = ofCall();
      if (node === undefined) return;
      end(node, payload.is_error === true ? 'failed' : 'done', at);
      if (payload.is_error === true) node.notes.push(output(payload.output));
      else node.gave = output(payload.output);
      return;
    }
    case 'step_finished': {
      const node = ofStep();
      if (node === undefined) return;
      end(node, payload.failed === true ? 'failed' : 'done', at);
      node.gave = output(payload.output);
      const completion = text(object(payload.completion), 'status').replace('COMPLETION_STATUS_', '').toLowerCase();
      if (completion !== '') node.completion = completion;
      return;
    }
    case 'step_canceled':
      cancelStep(run, payload, at);
      return;
    case 'run_paused':
    case 'run_resumed':
      run.isPaused = event.type === 'run_paused';
      return;
    case 'run_completed':
    case 'run_failed':
    case 'run_canceled':
      endRun(run, event, at);
      return;
    case 'input_provided':
    case 'input_withdrawn':
      takeInput(run, payload, at);
      return;
    case 'input_requested': {
      if (text(payload, 'kind') === 'INPUT_KIND_SAMPLING') return;
      const node = ofCall() ?? ofStep();
      if (node === undefined) return;
      const id = text(payload, 'input_id');
      run.inputs.set(id, node.id);
      const kind = text(payload, 'kind') === 'INPUT_KIND_AUTH' ? 'token' : 'answer';
      node.waits.set(id, { id, kind, since: at ?? 0 });
      return;
    }
    default: {
      const node = ofCall();
      if (node !== undefined) takeOfCall(node, event, at);
    }
  }
}

/** What befalls a call. */
function takeOfCall(node: NodeRecord, event: LogEvent, at: number | undefined): void {
  const { payload } = event;
  switch (event.type) {
    case 'approval_requested': {
      const id = text(payload, 'approval_id');
      const kind = text(payload, 'kind') === 'APPROVAL_KIND_IN_DOUBT' ? 'doubt' : 'approval';
      node.waits.set(id, { id, kind, since: at ?? 0 });
      node.approvals.set(id, { id, outcome: 'pending', by: '', isByRule: false });
      return;
    }
    case 'approval_resolved':
      takeDecision(node, event, at);
      return;
    case 'call_edited':
      node.args = text(object(payload.call), 'arguments_json');
      node.notes.push(`${nameOf(event.actor)} changed the arguments.`);
      return;
    case 'tool_call_started':
    case 'delegation_started':
      node.phase = 'running';
      node.ranAt = at;
      node.attempts = Math.max(node.attempts, number(payload, 'attempt'));
      return;
    case 'tool_call_finished':
    case 'delegation_finished': {
      const isLate = payload.late === true;
      if (isLate) node.notes.push('It ended after it was waited for: that changed nothing any more.');
      if (!isLate || node.ended === undefined) end(node, payload.is_error === true ? 'failed' : 'done', at);
      node.gave = text(payload, 'content');
      node.ranMs = number(payload, 'duration_ms');
      node.attempts = Math.max(node.attempts, number(payload, 'attempt'));
      if (payload.cut !== undefined) node.notes.push('The result was too long: only its beginning is kept.');
      return;
    }
    case 'tool_call_in_doubt':
      node.phase = 'doubt';
      node.notes.push(text(payload, 'reason'));
      return;
    case 'tool_call_refused':
      node.notes.push(text(payload, 'message'));
      if (text(payload, 'reason') === 'REFUSAL_REASON_NOT_ALLOWED') end(node, 'refused', at);
      else node.phase = 'ready';
      return;
  }
}

function takeDecision(node: NodeRecord, event: LogEvent, at: number | undefined): void {
  const { payload } = event;
  const id = text(payload, 'approval_id');
  const decision = text(payload, 'decision').replace('DECISION_', '').toLowerCase();
  endWait(node, id, at);
  const isByRule = payload.by_policy === true;
  node.approvals.set(id, { id, outcome: decision, by: isByRule ? 'a rule' : nameOf(event.actor), isByRule });
  // It decides a question of another agent; the call goes on.
  if (payload.proxy === true) return;
  const said = text(payload, 'said') || text(payload, 'reason');
  switch (decision) {
    case 'approved':
    case 'run_again':
      node.phase = node.isRepeatable ? 'running' : 'ready';
      return;
    case 'rejected':
    case 'expired':
      end(node, decision, at);
      if (said !== '') node.notes.push(said);
      return;
    case 'happened':
      end(node, 'done', at);
      node.gave = text(payload, 'result');
      return;
    case 'give_up':
      end(node, 'unknown', at);
  }
}

function takeInput(run: RunRecord, payload: Payload, at: number | undefined): void {
  const id = text(payload, 'input_id');
  const node = run.nodes.get(run.inputs.get(id) ?? '');
  if (node !== undefined) endWait(node, id, at);
  const sampling = object(payload.sampling);
  const asked = run.nodes.get(text(sampling, 'step_id'));
  if (asked === undefined || sampling.usage === undefined) return;
  asked.own = plus(asked.own, spentByAnswer(sampling.usage));
}

function takeAnswer(run: RunRecord, payload: Payload, at: number | undefined): void {
  const id = text(payload, 'step_id');
  const step = run.nodes.get(id);
  const calls = list(payload.calls);
  if (step !== undefined) {
    const spent = spentByAnswer(payload.usage);
    step.own = plus(step.own, spent);
    step.answers.push({
      ...{ turn: number(payload, 'turn'), model: text(payload, 'model'), text: text(payload, 'text') },
      ...{ calls: calls.length, spent },
    });
  }
  for (const call of calls) addCall(run, id, call, at);
}

function addCall(run: RunRecord, step: string, call: Payload, at: number | undefined): void {
  const disposition = text(call, 'disposition').replace('DISPOSITION_', '');
  // The platform answers these itself: they say how the step goes on, and are no work of their own.
  if (disposition === 'CONTROL') return;
  const callId = text(call, 'call_id');
  const agent = text(call, 'platform_agent');
  const remote = text(call, 'agent');
  const kind: NodeKind = agent !== '' ? 'agent' : remote !== '' ? 'remote' : 'tool';
  const isRepeatable = call.repeatable === true;
  const node: NodeRecord = {
    ...emptyNode(kind === 'agent' ? calledRoot(callId) : callId, kind, agent || remote || text(call, 'tool')),
    ...{ parent: step, server: text(call, 'server'), args: text(call, 'arguments_json') },
    ...{ reason: text(call, 'reason'), isRepeatable },
    phase: disposition === 'GATED' ? 'gated' : isRepeatable && kind !== 'agent' ? 'running' : 'ready',
  };
  if (kind === 'agent') node.asked = taskOf(text(call, 'arguments_json'));
  else node.startedAt = at;
  if (disposition === 'REFUSED') {
    end(node, 'refused', at);
    node.notes.push(text(call, 'error'));
  }
  run.nodes.set(node.id, node);
}

/** What an agent is called with, in words. */
function taskOf(json: string): string {
  try {
    const { input } = JSON.parse(json) as { input?: unknown };
    return typeof input === 'string' ? input : json;
  } catch {
    return json;
  }
}

function addStep(
  run: RunRecord,
  id: string,
  { kind, name, startedAt }: { kind: NodeKind; name: string; startedAt: number | undefined },
): NodeRecord {
  const known = run.nodes.get(id);
  if (known !== undefined) return known;
  const place = parsePlace(id);
  const last = place?.path.at(-1);
  const parent =
    place === undefined || last === undefined ? undefined : printPlace({ ...place, path: place.path.slice(0, -1) });
  const node: NodeRecord = {
    ...emptyNode(id, kind, name),
    ...(parent === undefined ? {} : { parent }),
    ...(last?.iteration === undefined ? {} : { round: last.iteration }),
    startedAt,
  };
  run.nodes.set(id, node);
  return node;
}

const emptyNode = (id: string, kind: NodeKind, name: string): NodeRecord => ({
  ...{ id, kind, name, type: '', server: '', phase: 'running', waitedMs: 0, waits: new Map(), approvals: new Map() },
  ...{ attempts: 0, answers: [], own: nothingSpent, isRepeatable: false, reason: '', notes: [] },
});

/** The node of a call: of an agent of the platform it is the one that the agent works as. */
const callAt = (run: RunRecord, callId: string): NodeRecord | undefined =>
  callId === '' ? undefined : (run.nodes.get(callId) ?? run.nodes.get(calledRoot(callId)));

function end(node: NodeRecord, how: Ended, at: number | undefined): void {
  node.ended = how;
  node.endedAt = at;
}

function endWait(node: NodeRecord, id: string, at: number | undefined): void {
  const wait = node.waits.get(id);
  if (wait === undefined) return;
  node.waits.delete(id);
  node.waitedMs += Math.max(0, (at ?? wait.since) - wait.since);
}

/** A step that took too long, or too much, has failed by itself; whoever worked below it only had to stop. */
function cancelStep(run: RunRecord, payload: Payload, at: number | undefined): void {
  const id = text(payload, 'step_id');
  const isByPerson = text(payload, 'cause') === 'CANCEL_CAUSE_PERSON';
  for (const node of run.nodes.values()) {
    const isItself = node.id === id;
    if (node.ended !== undefined || !(isItself || isBelow(node.id, id))) continue;
    end(node, isItself && !isByPerson ? 'failed' : 'canceled', at);
    if (isItself) node.notes.push(text(payload, 'text') || text(payload, 'reason'));
  }
}

function endRun(run: RunRecord, { type, payload }: LogEvent, at: number | undefined): void {
  run.ended = type === 'run_completed' ? 'completed' : type === 'run_failed' ? 'failed' : 'canceled';
  run.endedAt = at;
  const root = run.nodes.get(rootStep);
  if (root === undefined) return;
  end(root, run.ended === 'completed' ? 'done' : run.ended, at);
  const why = text(payload, 'text') || text(payload, 'reason');
  if (why !== '') root.notes.push(why);
}

function sourceOf(value: unknown): { repository: string; path: string; commit: string } | undefined {
  if (value === undefined) return undefined;
  const source = object(value);
  return { repository: text(source, 'repository'), path: text(source, 'path'), commit: text(source, 'commit') };
}
