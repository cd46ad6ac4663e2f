import { type Json, lossProblem, parseJson, visibleUrl } from '@stopgo/core';
import { terminalJson } from '../inspect/terminal-json.ts';
import { block, oneLine, shownName } from '../shown.ts';
import { printAnswer, type RunAnswer } from './answer.ts';
import { objectIn, sendDecided } from './answered.ts';
import { type ListedConversation, pages } from './conversations.ts';
import { askGateway } from './gateway.ts';
import { givenFile } from './given-file.ts';
import type { ShownInput } from './shown-input.ts';

/** `stopgo inputs`: what tool servers and agents ask people in a conversation, or in all of them. */
export async function printInputs(
  url: string,
  conversation: string | undefined,
  print: (line: string) => void,
): Promise<void> {
  let count = 0;
  for await (const input of conversation === undefined ? inputsOfAll(url) : inputsOf(url, conversation)) {
    for (const line of inputLines(input)) print(line);
    count += 1;
  }
  print(count === 0 ? 'nothing is asked' : `${count} waiting`);
}

/** What is shown of a question before somebody answers it. */
export function inputLines(input: ShownInput): string[] {
  const { id, conversation_id, server, agent, tool, message, expires_at: until } = input;
  const who =
    server === undefined
      ? `the agent ${shownName(agent ?? '')} asks`
      : `the server ${shownName(server)} asks in the midst of ${shownName(tool)}`;
  return [
    oneLine(`${id}  ${who}, until ${until ?? 'its call ends'}  conversation ${conversation_id}`),
    ...block(message),
    wanted(input),
  ];
}

function wanted({ mode, requested_schema: schema, url: address }: ShownInput): string {
  if (mode === 'file') return '    a file is asked for';
  return address === undefined ? `    values: ${terminalJson(schema)}` : `    address: ${visibleUrl(address)}`;
}

async function* inputsOf(url: string, conversation: string): AsyncGenerator<ShownInput> {
  const answer = await askGateway(url, `/conversations/${encodeURIComponent(conversation)}`);
  yield* objectIn<ListedConversation>(url, answer, 'conversation').pending_inputs ?? [];
}

/** Every conversation is looked at: no filter tells those whose run goes on from those that are at rest, which are active too. */
async function* inputsOfAll(url: string): AsyncGenerator<ShownInput> {
  for await (const { conversations } of pages(url, {}))
    for (const { pending_inputs: inputs = [] } of conversations) yield* inputs;
}

/** What is answered, and by whom. */
export type AnswerFlags = {
  readonly input?: string;
  /** Absent: accept. */
  readonly action?: string;
  readonly content?: string;
  /** Path of the file that is given. */
  readonly file?: string;
  readonly mediaType?: string;
  readonly by?: string;
};

/** `stopgo answer`: answers, waits for the run, and prints what it came to. Throws if the flags make no answer. */
export async function answerInput(
  url: string,
  conversation: string,
  { input, action = 'accept', content, file: path, mediaType, by }: AnswerFlags,
  print: (line: string) => void,
): Promise<void> {
  if (input === undefined) throw new Error('--input UUID is required: which question is answered (see stopgo inputs)');
  if (content !== undefined && path !== undefined) throw new Error('give --content or --file, as the question asks');
  if (mediaType !== undefined && path === undefined) throw new Error('--media-type says what a --file is');
  const values = content === undefined ? undefined : contentOf(content);
  const file = path === undefined ? undefined : await givenFile(path, mediaType);
  const body = {
    action,
    ...(by === undefined ? {} : { by }),
    ...(values === undefined ? {} : { content: values }),
    ...(file === undefined ? {} : { file }),
  };
  const where = `/conversations/${encodeURIComponent(conversation)}/inputs/${encodeURIComponent(input)}`;
  const answer: RunAnswer = await sendDecided(url, where, body, 'answer');
  printAnswer(answer, 'the answer is recorded', print);
}

/** The gateway is sent values, not the text: what does not survive being parsed would be changed before it can refuse it. */
function contentOf(text: string): Json {
  const values = parseJson(text);
  if (values === undefined) throw new Error('--content takes JSON, such as {"amount": 42}');
  const loss = lossProblem(text);
  if (loss !== undefined) throw new Error(`--content: ${loss}`);
  return values;
}
