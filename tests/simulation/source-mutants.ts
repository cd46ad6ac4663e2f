import type { Edit } from '../promises/bundle.ts';

/** A break of the platform's own source, and the rules of which one has to notice it, in worlds whose agents call each other. */
type SourceMutant = { readonly rules: string; readonly edits: readonly Edit[] };

const core = 'packages/core/src';
const inputs = `${core}/interrupts/decide-inputs.ts`;
const ofAgent = `${core}/interrupts/kinds/of-agent.ts`;
const settled = "if (settled !== undefined) return { kind: 'settled', input: settled };";
const takenAgain = "return { kind: 'append', facts: [providedBy(state, run, command, command.contentJson)] };";

/**
 * Ways to break what agents do with each other, and what they ask people. The simulation must find each of them out; one that it does not
 * see is a hole in its rules.
 */
export const sourceMutants = {
  /** A question that was answered takes another answer. */
  'takes-a-second-answer': {
    rules: 'q',
    edits: [
      { file: inputs, from: settled, to: `if (settled && settled.how !== 'withdrawn') ${takenAgain} ${settled}` },
    ],
  },
  /** A question takes an answer that ended with its step, with its run or by its time. */
  'takes-an-answer-after-the-end': {
    rules: 'q',
    edits: [{ file: inputs, from: settled, to: `if (settled?.how === 'withdrawn') ${takenAgain} ${settled}` }],
  },
  /** What is answered need not be what is asked for. */
  'takes-what-is-no-choice': {
    rules: 'q',
    edits: [
      {
        file: inputs,
        from: "action === 'accept' ? requestProblem(request, command) : needless(command);",
        to: 'undefined;',
      },
    ],
  },
  /** The agent is told of a no as of a yes. */
  'tells-a-yes-for-a-no': {
    rules: 'q',
    edits: [{ file: ofAgent, from: 'return approved === true ?', to: 'return approved !== undefined ?' }],
  },
  /** The agent is told that it failed where people left out what they may leave out. */
  'fails-what-may-be-left-out': {
    rules: 'q',
    edits: [
      {
        file: ofAgent,
        from: '{ content: left, isError: isRequired, now }',
        to: '{ content: left, isError: true, now }',
      },
    ],
  },
  /** People have less time than the agent gives them. */
  'ends-a-question-early': {
    rules: 'q',
    edits: [
      {
        file: ofAgent,
        from: 'dueAt: Math.ceil(timestampMs(dueAt))',
        to: 'dueAt: Math.ceil(timestampMs(dueAt)) - 400',
      },
    ],
  },
  /** The time of a question ends nothing. */
  'waits-for-ever': {
    rules: 'e',
    edits: [
      {
        file: `${core}/interrupts/due.ts`,
        from: 'return one.dueAt !== undefined &&',
        to: "return one.kind !== 'request' && one.dueAt !== undefined &&",
      },
    ],
  },
  /** The model is asked on while people are asked. */
  'goes-on-unanswered': {
    rules: 'q',
    edits: [
      {
        file: `${core}/state/work.ts`,
        from: "every((call) => call.phase === 'done');",
        to: "every((call) => call.phase === 'done' || call.target?.kind === 'people');",
      },
    ],
  },
  /** A step that is ended leaves its questions behind. */
  'asks-on-for-an-ended-step': {
    rules: 'lq',
    edits: [
      {
        file: `${core}/interrupts/below-step.ts`,
        from: "    case 'request':\n    case 'sampling':",
        to: "    case 'request':\n      return [];\n    case 'sampling':",
      },
    ],
  },
  /** Whoever answers what was answered is told that nobody needs it. */
  'tells-that-it-was-withdrawn': {
    rules: 'q',
    edits: [
      { file: 'services/orchestrator/src/provide-input.ts', from: "accept: 'accepted'", to: "accept: 'withdrawn'" },
    ],
  },
  /** Nobody is shown what agents ask. */
  'shows-no-question': {
    rules: 'l',
    edits: [{ file: `${core}/views/pending-inputs.ts`, from: ", ...interruptsOf(run, 'request')]", to: ']' }],
  },
  /** Agents call those that wait for them. */
  'calls-in-a-circle': {
    rules: 'm',
    edits: [
      { file: `${core}/calls/agent.ts`, from: '!limits.circlesAllowed && path', to: 'limits.circlesAllowed && path' },
    ],
  },
  /** One more agent below another than is allowed. */
  'calls-too-deep': {
    rules: 'm',
    edits: [
      { file: `${core}/calls/agent.ts`, from: 'path.length >= limits.depthMax', to: 'path.length > limits.depthMax' },
    ],
  },
  /** One more call of an agent than is allowed. */
  'calls-too-often': {
    rules: 'm',
    edits: [
      {
        file: `${core}/calls/agent.ts`,
        from: 'agentCallsBefore >= limits.callsMax',
        to: 'agentCallsBefore > limits.callsMax',
      },
    ],
  },
  /** What is below a step goes on though the step is ended. */
  'goes-on-below-an-ended-step': {
    rules: 'm',
    edits: [
      {
        file: `${core}/run/evolve-canceled.ts`,
        from: 'withStep(withoutDescendants(counted, stepId),',
        to: 'withStep(counted,',
      },
    ],
  },
  /** The time of an agent ends nothing. */
  'works-past-its-time': {
    rules: 'm',
    edits: [
      {
        file: `${core}/interrupts/time-limits.ts`,
        from: "if (status !== 'open' || paused !== undefined) return [];",
        to: 'if (status !== paused) return [];',
      },
    ],
  },
  /** A pause holds nothing back. */
  'begins-while-paused': {
    rules: 'm',
    edits: [
      {
        file: `${core}/run/interpreter.ts`,
        from: 'if (run.paused !== undefined && first.length === 0)',
        to: 'if (run.paused?.at === 0 && first.length === 0)',
      },
      {
        file: `${core}/run/decide-run.ts`,
        from: 'isOver ??= run.paused !== undefined || isEnded',
        to: 'isOver ??= isEnded',
      },
    ],
  },
  /** An agent is told that it has written what it has not. */
  'shares-nothing': {
    rules: 'p',
    edits: [
      {
        file: `${core}/run/decide-data.ts`,
        from: "return { content: 'Written.', change: fact('runDataWritten', { ...place, callRevision, key, bytes }) };",
        to: "return { content: 'Written.' };",
      },
    ],
  },
  /** An agent reads what was there before another one wrote. */
  'reads-what-was-there-before': {
    rules: 'p',
    edits: [
      {
        file: `${core}/run/decide-data.ts`,
        from: 'if (valuesNeeded(data, request).some(({ writtenAt }) => !values.has(writtenAt))) return [];',
        to: '',
      },
      {
        file: `${core}/run/decide-data.ts`,
        from: "{ content: values.get(found.writtenAt) ?? '' };",
        to: "{ content: [...values.values()][0] ?? '' };",
      },
    ],
  },
} as const satisfies Readonly<Record<string, SourceMutant>>;
