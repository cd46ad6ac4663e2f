// What a tool server asks people in the midst of a call, as other agents are shown it and answer it.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import {
  askedFields,
  decisionOfWord,
  type InputAction,
  inputMode,
  inputText,
  isUuid,
  type Json,
  maybeRounded,
  parseJson,
  visibleLine,
  visibleText,
  visibleUrl,
} from '@stopgo/core';
import { approvals, type views } from '@stopgo/proto';
import { isObject } from './dialect.ts';
import { fileOf, type SaidFile } from './file-parts.ts';
import { dataPart, textOf, textPart } from './parts.ts';
import { type Message, type Part, RequestMalformedError } from './protocol.ts';

/** An answer that a message holds. */
export type SaidInput = {
  readonly inputId: string;
  readonly action: InputAction;
  /** The values as JSON text; empty if there are none. */
  readonly contentJson: string;
  /** With accept of a question that asks for one. */
  readonly file?: SaidFile;
  /** False: it was said of whatever is asked. */
  readonly isNamed: boolean;
};

/** What is asked: a text for people, and a data part for programs for each question. */
export function inputParts(inputs: readonly views.PendingInput[]): Part[] {
  return inputs.length === 0
    ? []
    : [textPart(inputs.map(inputText).join('\n\n')), ...inputs.map((one) => dataPart(data(one)))];
}

/** What somebody is told whose message answers nothing. */
export function askInputAgain(inputs: readonly views.PendingInput[]): Part[] {
  const how = inputs.flatMap((input) => [howToAccept(input), `decline ${input.id}`]).join('\n');
  const text = `That answers nothing. Answer with one of these for each question:\n${how}`;
  return [textPart(`${text}\n\n${inputs.map(inputText).join('\n\n')}`), ...inputs.map((one) => dataPart(data(one)))];
}

function howToAccept(input: views.PendingInput): string {
  const { id } = input;
  return inputMode(input) === 'file'
    ? `{"input_id": "${id}", "action": "accept"} (as data), and the file as a part with its bytes`
    : `{"input_id": "${id}", "action": "accept", "content": {…}} (as data)`;
}

function data(input: views.PendingInput): Json {
  const { id, server, agent, tool, message, schemaJson, url, expiresAt } = input;
  const mode = inputMode(input);
  return {
    input_id: id,
    kind: 'input',
    mode,
    ...(agent === '' ? { server: visibleLine(server) } : { agent: visibleLine(agent) }),
    tool: visibleLine(tool),
    message: visibleText(message),
    ...(mode === 'form' ? { requested_schema: parseJson(schemaJson) ?? null } : {}),
    ...(mode === 'url' ? { url: visibleUrl(url) } : {}),
    choices: ['accept', 'decline', 'cancel'],
    ...(expiresAt === undefined ? {} : { expires_at: timestampDate(expiresAt).toISOString() }),
  };
}

/** True for data that means to answer a question, so that in a task it is no message to the agent. */
export const isInputData = (value: unknown): boolean => isObject(value) && inputIdIn(value.input_id) !== undefined;

/** What a message may answer questions with, whichever wait: what counts, `answersAmong` says. */
export type InputWords = {
  /** Its data parts that are answers. */
  readonly data: readonly SaidInput[];
  /** By line of its text: the answer that it is, naming its question. */
  readonly lines: readonly (SaidInput | undefined)[];
  /** All that it says in words. */
  readonly text: string;
  /** The file that it holds, if it holds one. */
  readonly file: SaidFile | undefined;
};

/**
 * Reads the answers that a message may hold: in data parts, in lines `accept <id>`, `decline <id>` and `cancel <id>`, or in plain words.
 *
 * @throws A2AError if it means to answer but does not say clearly what.
 */
export function inputWordsIn(message: Message): InputWords {
  const { parts } = message;
  const data = parts.flatMap(({ content }) => {
    const value: unknown = content?.$case === 'data' ? content.value : undefined;
    return isObject(value) && isInputData(value) ? [said(value)] : [];
  });
  if (new Set(data.map(({ inputId }) => inputId)).size !== data.length)
    throw new RequestMalformedError('the message answers one question twice; answer each once');
  const text = textOf(parts).trim();
  return { data, lines: text.split('\n').map(inLine), text, file: fileOf(message) };
}

/**
 * The answers of a message to what waits, and the one that its file belongs to: the only one that accepts without values. Where only one
 * question waits and nothing else, and it asks for a file, the file alone is its answer, whatever is said beside it.
 *
 * @param isAlone - nothing but questions waits.
 * @throws A2AError for a file beside answers of which none, or more than one, may have it.
 */
export function answersAmong(
  words: InputWords,
  pending: readonly views.PendingInput[],
  isAlone: boolean,
): readonly SaidInput[] {
  const { file } = words;
  const heard = heardAmong(words, pending, isAlone);
  if (file === undefined) return heard;
  if (heard.length === 0) {
    const [only, ...others] = pending;
    const isAnswer = isAlone && only !== undefined && others.length === 0 && inputMode(only) === 'file';
    return isAnswer ? [{ inputId: only.id, action: 'accept', contentJson: '', file, isNamed: false }] : [];
  }
  const asked = new Set(pending.filter((one) => inputMode(one) === 'file').map(({ id }) => id));
  const bare = heard.filter(({ action, contentJson }) => action === 'accept' && contentJson === '');
  // Of a message that comes again nothing waits any more.
  const [given, ...more] = bare.length > 1 ? bare.filter(({ inputId }) => asked.has(inputId)) : bare;
  if (given === undefined || more.length > 0)
    throw new RequestMalformedError(
      'the message holds a file, and does not say which question it answers: accept that one, without values, and no other',
    );
  return heard.map((one) => (one === given ? { ...one, file } : one));
}

/**
 * What a message says without its file: its data, else its lines; where only one question waits and nothing else, also a plain
 * `decline` or `cancel`, or a text that is the one value that is asked for. A plain no declines: whoever delegates to this agent has
 * nothing but yes and no for what its people decide, and neither is a value unless it is one of the choices. None, if the message is about
 * something else.
 */
function heardAmong(
  { data, lines, text }: InputWords,
  pending: readonly views.PendingInput[],
  isAlone: boolean,
): readonly SaidInput[] {
  if (data.length > 0) return data;
  const named = lines.map((line) => (isMeantFor(line, pending) ? line : undefined));
  if (named.every((one) => one !== undefined)) return named;
  const [only, ...others] = pending;
  if (only === undefined || others.length > 0 || !isAlone) return [];
  const inWords = { inputId: only.id, isNamed: false } as const;
  const contentJson = only.url === '' ? onlyValue(only.schemaJson, text) : undefined;
  if (contentJson !== undefined) return [{ ...inWords, action: 'accept', contentJson }];
  const action = actionOfWord(text.toLowerCase(), only.url !== '');
  return action === undefined ? [] : [{ ...inWords, action, contentJson: '' }];
}

/** A cancel is how an approval is rejected, too: it is an answer only to a question that waits. */
const isMeantFor = (line: SaidInput | undefined, pending: readonly views.PendingInput[]): boolean =>
  line?.action !== 'cancel' || pending.some(({ id }) => id === line.inputId);

function actionOfWord(word: string, isUrl: boolean): InputAction | undefined {
  if (word === 'decline' || word === 'cancel') return word;
  const decision = decisionOfWord(word);
  if (decision === approvals.DecisionKind.REJECT) return 'decline';
  // Only an address is accepted without values.
  return isUrl && (word === 'accept' || decision === approvals.DecisionKind.APPROVE) ? 'accept' : undefined;
}

function said({ input_id, action, content }: Readonly<Record<string, unknown>>): SaidInput {
  const inputId = inputIdIn(input_id) ?? '';
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel')
    throw new RequestMalformedError(
      `the answer to ${inputId} cannot be read: "action" must be accept, decline or cancel`,
    );
  const contentJson = content === undefined || content === null ? '' : JSON.stringify(content);
  // The transport has parsed it: what it made of a decimal cannot be told, but a large integer shows that it may be another one.
  const [rounded] = contentJson === '' ? [] : maybeRounded(contentJson, 1);
  if (rounded !== undefined)
    throw new RequestMalformedError(
      `the answer to ${inputId} cannot be taken: the number at content${rounded} is beyond ${Number.MAX_SAFE_INTEGER} and may have been rounded; write it as a text`,
    );
  return { inputId, action, contentJson, isNamed: true };
}

const wordAndId = /^\s*(accept|decline|cancel)[\s:]+([0-9a-f-]{36})\s*$/i;

function inLine(line: string): SaidInput | undefined {
  const [, word = '', id = ''] = wordAndId.exec(line) ?? [];
  const action = word.toLowerCase();
  const inputId = inputIdIn(id);
  if (inputId === undefined || (action !== 'accept' && action !== 'decline' && action !== 'cancel')) return undefined;
  return { inputId, action, contentJson: '', isNamed: true };
}

/** A text as the value that is asked for, if that is one choice, or one text and the words are none that decide. */
function onlyValue(schemaJson: string, text: string): string | undefined {
  const fields = askedFields(schemaJson);
  const [field, ...others] = typeof fields === 'string' ? [] : fields;
  if (text === '' || field === undefined || others.length > 0 || field.type !== 'string') return undefined;
  const isChoice = field.choices?.includes(text) === true;
  return isChoice || !decides(text.toLowerCase()) ? JSON.stringify({ [field.name]: text }) : undefined;
}

function decides(word: string): boolean {
  return word === 'accept' || word === 'decline' || decisionOfWord(word) !== undefined;
}

function inputIdIn(id: unknown): string | undefined {
  return typeof id === 'string' && isUuid(id.toLowerCase()) ? id.toLowerCase() : undefined;
}
