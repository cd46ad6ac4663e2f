import { type ExactValue, parseExact } from '@stopgo/client';
import { type LogEvent, list, number, type Payload, text } from '../api/payload.ts';
import { outcomeIn, questionIn } from '../questions/question.ts';
import { mayUse } from './new-limits.ts';
import { type Call, type GrowingTranscript, nameOf } from './transcript.ts';

// What each event adds to what a conversation shows.

const isTrue = (payload: Payload, name: string): boolean => payload[name] === true;
/** Calls of another run may have the same id. */
const callKey = (payload: Payload, id = text(payload, 'call_id')): string => `${text(payload, 'run_id')}/${id}`;
/** The called agent in which something happens; undefined: the main one. */
const homeOf = (to: GrowingTranscript, payload: Payload): string | undefined =>
  to.homeOf(text(payload, 'run_id'), text(payload, 'call_id') || text(payload, 'step_id'));

const newLimitsIn = (payload: Payload): string => {
  const allowed = mayUse(list(payload.limits));
  return allowed === '' ? '' : `: the agent ${text(payload, 'limit_agent')} ${allowed}`;
};

/** Takes in one event. One whose type is not known here changes nothing that is shown. */
export function takeEvent(to: GrowingTranscript, event: LogEvent): void {
  const { payload, time, actor } = event;
  const key = `e${event.revision}`;
  const home = homeOf(to, payload);
  const note = (said: string, tone: 'calm' | 'bad' = 'calm') =>
    to.add({ kind: 'note', key, tone, text: said, time }, home);
  const who = () => capital(nameOf(actor));
  switch (event.type) {
    case 'conversation_created':
      to.conversation = text(payload, 'conversation_id');
      return;
    case 'user_message_received':
      to.add({ kind: 'said', key, by: 'user', text: text(payload, 'text'), node: '', time });
      to.isRunOpen = true;
      to.activity = 'model';
      return;
    case 'step_started':
    case 'run_claimed':
      if (to.activity === 'idle' || to.activity === 'people') to.activity = 'model';
      return;
    case 'model_responded':
      takeResponse(to, event);
      return;
    case 'delegation_requested':
      takeCalls(to, event, [payload.call]);
      return;
    case 'model_failed':
      note(`The model ${text(payload, 'model')} could not answer: ${text(payload, 'message')}`, 'bad');
      return;
    case 'approval_requested':
      to.changeCall(callKey(payload), { state: 'waiting', approval: text(payload, 'approval_id') });
      to.activity = 'people';
      return;
    case 'approval_resolved':
      takeDecision(to, event, note);
      return;
    case 'call_edited':
      if (payload.call !== undefined) to.changeCall(callKey(payload), { args: argumentsOf(payload.call as Payload) });
      return;
    case 'tool_call_started':
    case 'delegation_started':
      to.changeCall(callKey(payload), { state: 'running' });
      to.activity = 'tools';
      return;
    case 'tool_call_finished':
    case 'delegation_finished':
      to.keepText(event.revision, text(payload, 'content'), false);
      takeResult(to, payload);
      return;
    case 'agent_called':
      takeAgent(to, payload);
      return;
    case 'agent_returned':
      takeReturn(to, event);
      return;
    case 'step_canceled': {
      const why = text(payload, 'reason') || text(payload, 'text');
      to.withdraw({ how: 'withdrawn', at: time, why: 'its step was ended' }, text(payload, 'step_id'));
      to.endCalls(text(payload, 'run_id'), text(payload, 'step_id'));
      note(`${who()} ended a part of the run${why === '' ? '.' : `: ${why}`}`);
      return;
    }
    case 'tool_call_in_doubt':
      to.changeCall(callKey(payload), { state: 'doubt', note: text(payload, 'reason') });
      to.activity = 'people';
      return;
    case 'tool_call_refused':
      if (text(payload, 'reason') === 'REFUSAL_REASON_UNAUTHENTICATED') {
        // Whoever is asked for a login is told of it where the run says what it waits for.
        to.changeCall(callKey(payload), { state: 'login' });
        to.activity = 'people';
        return;
      }
      to.changeCall(callKey(payload), { state: 'refused', note: text(payload, 'message') });
      to.activity = 'model';
      return;
    case 'input_requested':
      takeQuestion(to, event);
      return;
    case 'input_provided':
      takeAnswer(to, event, note);
      return;
    case 'input_withdrawn': {
      const asking = to.askingOf(text(payload, 'input_id'));
      if (asking !== undefined) to.changeCall(`${asking.run}/${asking.call}`, { state: 'running' });
      to.settle(text(payload, 'input_id'), { how: 'withdrawn', at: time, why: text(payload, 'reason') });
      return;
    }
    case 'run_paused': {
      const reason = text(payload, 'reason');
      const isLimit = text(payload, 'limit_step_id') !== '';
      to.paused = { by: isLimit ? '' : nameOf(actor), reason, at: time, isLimit };
      note(`${isLimit ? 'The platform' : who()} paused the run${reason === '' ? '.' : `: ${reason}`}`);
      return;
    }
    case 'run_resumed':
      to.paused = undefined;
      note(`${who()} let the run go on${newLimitsIn(payload)}.`);
      return;
    case 'run_completed':
      takeOutput(to, event);
      end(to, event);
      return;
    case 'run_failed':
      note(text(payload, 'text') || 'The run failed.', 'bad');
      end(to, event);
      return;
    case 'run_canceled': {
      const why = text(payload, 'reason');
      note(`${who()} canceled the run${why === '' ? '.' : `: ${why}`}`);
      end(to, event);
      return;
    }
  }
}

function takeResponse(to: GrowingTranscript, event: LogEvent): void {
  const { payload, revision, time } = event;
  to.isWritten({ run: payload.run_id, step: payload.step_id, turn: payload.turn });
  const said = text(payload, 'text');
  const home = homeOf(to, payload);
  to.keepText(revision, said, home === undefined);
  if (said !== '')
    to.add({ kind: 'said', key: `e${revision}`, by: 'agent', text: said, node: text(payload, 'node'), time }, home);
  const calls = Array.isArray(payload.calls) ? payload.calls : [];
  if (calls.length === 0) return;
  takeCalls(to, event, calls);
  to.activity = 'tools';
}

function takeCalls(to: GrowingTranscript, { payload, revision, time }: LogEvent, listed: readonly unknown[]): void {
  // That an agent has done its task is no call that somebody makes: what it says is its answer.
  const made = listed.map((one) => one as Payload).filter((call) => !isCompletion(call));
  if (made.length === 0) return;
  const ids = made.map((call) => {
    const id = callKey(payload, text(call, 'call_id'));
    to.addCall({
      ...{ id, tool: text(call, 'tool') || text(call, 'agent'), server: text(call, 'server'), args: argumentsOf(call) },
      ...stateAtFirst(call),
    });
    return id;
  });
  const home = homeOf(to, payload);
  to.add({ kind: 'calls', key: `c${revision}`, calls: ids, node: text(payload, 'node'), time }, home);
}

const isCompletion = (call: Payload): boolean =>
  text(call, 'disposition') === 'DISPOSITION_CONTROL' && text(call, 'tool') === 'complete_agent_execution';

/** A call that may simply be repeated runs without another word; one that was refused never does. */
function stateAtFirst(call: Payload): Pick<Call, 'state' | 'note'> {
  switch (text(call, 'disposition')) {
    case 'DISPOSITION_REFUSED':
      return { state: 'refused', note: text(call, 'error') };
    case 'DISPOSITION_GATED':
      return { state: 'waiting' };
    // It steers the agent, and is done as soon as it is said.
    case 'DISPOSITION_CONTROL':
      return { state: 'done' };
    default:
      return { state: 'running' };
  }
}

function argumentsOf(call: Payload): ExactValue {
  const json = text(call, 'arguments_json');
  if (json === '') return {};
  try {
    return parseExact(json) as ExactValue;
  } catch {
    return json;
  }
}

function takeDecision(to: GrowingTranscript, { payload, actor }: LogEvent, note: (said: string) => void): void {
  const decision = text(payload, 'decision').replace('DECISION_', '');
  const tool = text(payload, 'tool');
  const who = isTrue(payload, 'by_policy') ? 'A rule' : capital(nameOf(actor));
  const said = text(payload, 'said');
  const words: Readonly<Record<string, string>> = {
    APPROVED: `${who} approved ${tool}.`,
    REJECTED: `${who} rejected ${tool}.`,
    EXPIRED: `Nobody decided on ${tool} in time.`,
    WITHDRAWN: `The question about ${tool} was withdrawn.`,
    RUN_AGAIN: `${who} had ${tool} run again.`,
    HAPPENED: `${who} said what came of ${tool}.`,
    GIVE_UP: `${who} gave ${tool} up.`,
  };
  if (decision === 'REJECTED' || decision === 'EXPIRED') to.changeCall(callKey(payload), { state: 'rejected' });
  const line = words[decision];
  if (line === undefined) return;
  note(said === '' ? line : `${line} “${said}”`);
  to.activity = 'model';
}

function takeResult(to: GrowingTranscript, payload: Payload): void {
  to.changeCall(callKey(payload), {
    ...{ state: isTrue(payload, 'is_error') ? 'failed' : 'done', result: text(payload, 'content') },
    ...(typeof payload.duration_ms === 'number' ? { ms: payload.duration_ms } : {}),
    ...(payload.cut === undefined ? {} : { note: 'The result was too long: only its beginning is kept.' }),
  });
  goOn(to);
}

/** What the run does once something has come back. */
function goOn(to: GrowingTranscript): void {
  if (!to.isRunOpen) return;
  const areAsked = to.hasCallsIn('waiting') || to.hasCallsIn('asking') || to.hasCallsIn('doubt');
  to.activity = to.hasCallsIn('running') ? 'tools' : areAsked ? 'people' : 'model';
}

/** At the beginning of a sentence. A name stays as it is written: it may be another one in capitals. */
const capital = (words: string): string =>
  words.replace(/^(?:the platform|somebody)/, (one) => one.charAt(0).toUpperCase() + one.slice(1));

function takeQuestion(to: GrowingTranscript, event: LogEvent): void {
  const { payload, revision } = event;
  if (text(payload, 'kind') !== 'INPUT_KIND_SAMPLING') to.activity = 'people';
  const question = questionIn(event, to.conversation);
  if (question === undefined) return;
  to.ask(question, { run: text(payload, 'run_id'), call: text(payload, 'call_id') });
  to.changeCall(callKey(payload), { state: 'asking' });
  // Among what the main agent says, whoever asks: what waits for people is not folded away.
  to.add({ kind: 'question', key: `q${revision}`, id: question.id });
}

function takeAnswer(to: GrowingTranscript, event: LogEvent, note: (said: string) => void): void {
  const { payload, actor } = event;
  const id = text(payload, 'input_id');
  const asking = to.askingOf(id);
  if (asking !== undefined) {
    to.settle(id, outcomeIn(event, nameOf(actor)));
    to.changeCall(`${asking.run}/${asking.call}`, { state: 'running' });
  } else if (payload.sampling === undefined) note(`${capital(nameOf(actor))} gave what the run asked for.`);
  if (to.isRunOpen) to.activity = 'tools';
}

function takeAgent(to: GrowingTranscript, payload: Payload): void {
  const source = (payload.source ?? {}) as Payload;
  to.addAgent({
    ...{ call: callKey(payload), name: text(payload, 'agent'), state: 'working', items: [], version: 0 },
    ...{ commit: text(source, 'commit'), path: text(source, 'path') },
  });
}

function takeReturn(to: GrowingTranscript, { payload, revision }: LogEvent): void {
  const result = outputOf(to, payload)
    .map((part) => part.text)
    .join('\n');
  const state = isTrue(payload, 'is_error') ? 'failed' : 'done';
  const says = text((payload.completion ?? {}) as Payload, 'status')
    .replace('COMPLETION_STATUS_', '')
    .toLowerCase();
  const ms = number(payload, 'duration_ms');
  to.keepText(revision, result, false);
  to.changeAgent(callKey(payload), { state, result, ms, ...(says === '' ? {} : { says }) });
  to.changeCall(callKey(payload), { state, result, ms });
  goOn(to);
}

/** What the run came to, as far as it was not shown before as something that a model says. */
function takeOutput(to: GrowingTranscript, { payload, revision, time }: LogEvent): void {
  const said = outputOf(to, payload)
    .filter((part) => !part.isShown)
    .map((part) => part.text)
    .join('\n');
  if (said !== '') to.add({ kind: 'said', key: `e${revision}`, by: 'agent', text: said, node: '', time });
}

/** The texts that an output stands for. */
function outputOf(
  to: GrowingTranscript,
  payload: Payload,
): readonly { readonly text: string; readonly isShown: boolean }[] {
  const { parts } = (payload.output ?? {}) as Payload;
  return (Array.isArray(parts) ? (parts as readonly Payload[]) : [])
    .map((part) => {
      const at = number(part, 'answer_revision') || number(part, 'result_revision');
      return at === 0 ? { text: text(part, 'text'), isShown: false } : (to.textAt(at) ?? { text: '', isShown: false });
    })
    .filter((part) => part.text !== '');
}

function end(to: GrowingTranscript, { time }: LogEvent): void {
  to.withdraw({ how: 'withdrawn', at: time, why: 'the run has ended' });
  to.endRun();
}
