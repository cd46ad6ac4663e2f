import { parseJson, visibleUrl } from '@stopgo/core';
import { terminalJson } from '../inspect/terminal-json.ts';
import { block, oneLine, shownName } from '../shown.ts';
import { printAnswer, type RunAnswer } from './answer.ts';
import { askGateway } from './gateway.ts';

type ShownInput = {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly message: string;
  readonly requested_schema?: unknown;
  readonly url?: string;
  readonly expires_at?: string;
};

/** `stopgo inputs`: what tool servers ask people in a conversation, oldest first. */
export async function printInputs(url: string, conversation: string, print: (line: string) => void): Promise<void> {
  const answer = (await askGateway(url, `/conversations/${encodeURIComponent(conversation)}`)) as {
    conversation: { pending_inputs?: readonly ShownInput[] };
  };
  const inputs = answer.conversation.pending_inputs ?? [];
  for (const { id, server, tool, message, requested_schema: schema, url: address, expires_at: until } of inputs) {
    const who = `the server ${shownName(server)} asks in the midst of ${shownName(tool)}`;
    print(oneLine(`${id}  ${who}, until ${until ?? 'its call ends'}`));
    for (const line of block(message)) print(line);
    print(address === undefined ? `    values: ${terminalJson(schema)}` : `    address: ${visibleUrl(address)}`);
  }
  print(inputs.length === 0 ? 'nothing is asked' : `${inputs.length} waiting`);
}

/** What is answered, and by whom. */
export type AnswerFlags = {
  readonly input?: string;
  /** Absent: accept. */
  readonly action?: string;
  readonly content?: string;
  readonly by?: string;
};

/** `stopgo answer`: answers, waits for the run, and prints what it came to. Throws if the flags make no answer. */
export async function answerInput(
  url: string,
  conversation: string,
  { input, action = 'accept', content, by }: AnswerFlags,
  print: (line: string) => void,
): Promise<void> {
  if (input === undefined)
    throw new Error('--input UUID is required: which question is answered (see stopgo inputs ID)');
  const values = content === undefined ? undefined : parseJson(content);
  if (content !== undefined && values === undefined) throw new Error('--content takes JSON, such as {"amount": 42}');
  const body = { action, ...(by === undefined ? {} : { by }), ...(values === undefined ? {} : { content: values }) };
  const path = `/conversations/${encodeURIComponent(conversation)}/inputs/${encodeURIComponent(input)}`;
  printAnswer((await askGateway(url, path, body)) as RunAnswer, 'the answer is recorded', print);
}
