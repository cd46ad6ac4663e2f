import { isObject, type JsonObject } from './json.ts';
import { Refusal } from './refusal.ts';
import type { Answer, Call, Turn } from './turn.ts';

/** One scripted reaction to one request. What may be combined is said per field. */
export type ScriptStep = {
  /** Only for a request whose last user text contains this; without it, for any request. */
  readonly match?: string;
  /** Only for a request whose instructions contain this, such as those of one node of a tree. */
  readonly prompt?: string;
  /** The answer. A step without one answers by the rules. */
  readonly answer?: Answer;
  /** Waits before everything else, in milliseconds. */
  readonly delayMs?: number;
  /** Says nothing until the scripts are released, then goes on with the step. */
  readonly hang?: true;
  /** Fails with this status and message, in the provider's own shape. */
  readonly error?: { readonly status: number; readonly message: string; readonly retryAfterSeconds?: number };
  /** Fails with a message that quotes the whole request: method, URL, headers (keys too) and body. */
  readonly quoteRequest?: true;
  /** Answers 200 with something that is not of the protocol. */
  readonly garbage?: true;
  /** Destroys the connection without an answer. */
  readonly reset?: true;
  /** Sends the first half of the answer, then ends it as if it were complete. */
  readonly truncateStream?: true;
  /** Sends the first half of the answer, then nothing until the scripts are released, then the rest. */
  readonly stallStream?: true;
};

const flags = ['hang', 'quoteRequest', 'garbage', 'reset', 'truncateStream', 'stallStream'] as const;
const known = ['match', 'prompt', 'text', 'calls', 'thinking', 'withoutIds', 'delayMs', 'error', ...flags];

/** The queue of scripted reactions and the gate on which hanging answers wait. */
export type Script = {
  /** Appends steps. */
  add(steps: readonly ScriptStep[]): void;
  /** Takes the first step that fits what was said out of the queue. */
  take(said: Pick<Turn, 'lastUserText' | 'instructions'>): ScriptStep | undefined;
  /** Resolves at the next release. */
  released(): Promise<void>;
  /** Lets everything go that hangs now. */
  release(): void;
  /** Forgets the steps that are left, and releases. */
  reset(): void;
};

/** An empty script. */
export function createScript(): Script {
  let steps: ScriptStep[] = [];
  let waiting: (() => void)[] = [];
  const release = () => {
    const going = waiting;
    waiting = [];
    for (const go of going) go();
  };
  return {
    add: (more) => {
      steps.push(...more);
    },
    take: ({ lastUserText, instructions }) => {
      const index = steps.findIndex(
        ({ match = '', prompt = '' }) => lastUserText.includes(match) && instructions.includes(prompt),
      );
      return index < 0 ? undefined : steps.splice(index, 1)[0];
    },
    released: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
      }),
    release,
    reset: () => {
      steps = [];
      release();
    },
  };
}

/** Reads the body of a script request: one step or a list of them. An unknown field is refused, so that a typo shows. */
export function readSteps(body: unknown): ScriptStep[] {
  return (Array.isArray(body) ? body : [body]).map((step: unknown) => {
    if (!isObject(step)) throw new Refusal(400, 'A script step must be an object.');
    const unknown = Object.keys(step).find((key) => !known.includes(key));
    if (unknown !== undefined)
      throw new Refusal(400, `Unknown field "${unknown}" in a script step. Known: ${known.join(', ')}.`);
    return readStep(step);
  });
}

function readStep(step: JsonObject): ScriptStep {
  const { match, prompt, delayMs, error } = step;
  const answer = readAnswer(step);
  return {
    ...(typeof match === 'string' ? { match } : {}),
    ...(typeof prompt === 'string' ? { prompt } : {}),
    ...(answer ? { answer } : {}),
    ...(typeof delayMs === 'number' ? { delayMs } : {}),
    ...(isObject(error) ? { error: readError(error) } : {}),
    ...Object.fromEntries(flags.filter((flag) => step[flag] === true).map((flag) => [flag, true])),
  };
}

function readAnswer(step: JsonObject): Answer | undefined {
  const { text, calls, thinking } = step;
  if (text === undefined && calls === undefined && thinking === undefined) return undefined;
  return {
    text: typeof text === 'string' ? text : '',
    calls: Array.isArray(calls) ? calls.map(readCall) : [],
    ...(typeof thinking === 'string' ? { thinking } : {}),
    ...(step.withoutIds === true ? { withoutIds: true } : {}),
  };
}

function readCall(call: unknown): Call {
  if (!isObject(call) || typeof call.name !== 'string') throw new Refusal(400, 'A scripted call needs a name.');
  return { name: call.name, args: isObject(call.args) ? call.args : {} };
}

function readError(error: JsonObject): NonNullable<ScriptStep['error']> {
  const { status, message, retryAfterSeconds } = error;
  if (typeof status !== 'number') throw new Refusal(400, 'A scripted error needs a status.');
  return {
    status,
    message: typeof message === 'string' ? message : 'scripted error',
    ...(typeof retryAfterSeconds === 'number' ? { retryAfterSeconds } : {}),
  };
}
