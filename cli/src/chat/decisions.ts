import { lossProblem, parseJson } from '@stopgo/core';
import { allArguments, calledBy, demandLines, doubts, type ShownApproval } from '../decide/approvals.ts';
import { editLines } from '../decide/edit-lines.ts';
import { type GivenFile, givenFile } from '../decide/given-file.ts';
import { inputLines } from '../decide/inputs.ts';
import type { ShownInput } from '../decide/shown-input.ts';
import type { Lines } from '../lines.ts';
import { block, oneLine } from '../shown.ts';

/** What a human here wants to have asked at the gateway; undefined: not now. */
export type Decision = { readonly path: string; readonly body: Readonly<Record<string, unknown>> } | undefined;

type Print = (line: string) => void;
/** A line to copy: the command with these words, for the same platform. */
type CommandLine = (words: string) => string;

/**
 * Shows an approval, with all that will be sent, and asks for a decision. Only a whole word decides: on a terminal anything else is
 * asked again, and an empty line leaves it undecided.
 *
 * @throws Error if a script's next line is no decision: it was meant for something else. Or if a human would not see what is asked.
 */
export async function askDecision(
  approval: ShownApproval,
  lines: Lines,
  print: Print,
  commandLine: CommandLine,
): Promise<Decision> {
  const { uuid, choices, description, description_cut: isCut = false } = approval;
  print(oneLine(`a human is to decide: ${calledBy(approval)}`));
  // A row of its own, so that it can be copied.
  print(oneLine(`  approval ${uuid}`));
  for (const line of block(description)) print(line);
  for (const line of [...editLines(approval), ...demandLines(approval, Date.now())]) print(oneLine(`  ${line}`));
  if (isCut) for (const line of allArguments(approval)) print(line);
  // Of what another agent could not show whole, only a no is taken.
  const decisions = ['approve', 'reject'].filter((one) => choices.includes(one));
  const isInDoubt = choices.includes('give_up');
  if (!lines.isSeen)
    throw notSeen(...(isInDoubt ? ['approve', 'reject'] : decisions).map((one) => commandLine(`${one} ${uuid}`)));
  const path = `/approvals/${encodeURIComponent(uuid)}`;
  if (!isInDoubt) {
    const said = decisions.map((one) => (one === 'approve' ? 'yes' : 'no'));
    const prompt = said.length > 1 ? said.join(' or ') : `Only ${said.join()} can be said here`;
    const words = said.flatMap((one) => [one.slice(0, 1), one]);
    const word = await asked(`May it run? ${prompt}: `, words, lines);
    return word === undefined ? undefined : { path, body: { action: word.startsWith('y') ? 'approve' : 'reject' } };
  }
  print('this call was started and may have happened; look whether it did:');
  for (const [choice, when] of Object.entries(doubts)) if (choices.includes(choice)) print(`  ${choice}: ${when}`);
  const action = await asked(`${choices.join(', ')}? `, choices, lines);
  if (action === undefined) return undefined;
  if (action !== 'happened') return { path, body: { action } };
  const result = await lines.nextFromNow('What is the model told that it gave? ');
  // An empty line leaves it undecided here, too.
  return result === undefined || result.trim() === '' ? undefined : { path, body: { action, result } };
}

/** Shows what a tool server or an agent asks, and asks for the answer. @throws Error as `askDecision`. */
export async function askInput(
  input: ShownInput,
  lines: Lines,
  print: Print,
  commandLine: CommandLine,
): Promise<Decision> {
  for (const line of inputLines(input)) print(line);
  const { id, conversation_id: conversation, mode } = input;
  const flag = mode === 'file' ? '--file PATH' : '--content JSON';
  if (!lines.isSeen) throw notSeen(commandLine(`answer ${conversation} --input ${id} ${flag}`));
  const path = `/conversations/${encodeURIComponent(conversation)}/inputs/${encodeURIComponent(id)}`;
  if (mode === 'file') {
    const body = await askFile(lines, print);
    return body && { path, body };
  }
  const isForm = input.url === undefined;
  const words = [...(isForm ? [] : ['accept']), 'decline', 'cancel'];
  const prompt = `${isForm ? 'The values as JSON, ' : ''}${words.join(isForm ? ' or ' : ', ')}: `;
  const answer = await asked(prompt, words, lines, isForm ? { judge: judgeValues, print } : undefined);
  if (answer === undefined) return undefined;
  return {
    path,
    body: words.includes(answer) ? { action: answer } : { action: 'accept', content: parseJson(answer) },
  };
}

/** A path alone is no answer: a script's next line, meant for something else, may be one. */
async function askFile(lines: Lines, print: Print): Promise<Readonly<Record<string, unknown>> | undefined> {
  const words = ['decline', 'cancel'];
  let file: GivenFile | undefined;
  const judge = async (text: string): Promise<Judged> => {
    const [, path] = /^file\s+(.+)$/i.exec(text) ?? [];
    if (path === undefined) return { isAnswer: false };
    try {
      file = await givenFile(path);
      return { isAnswer: true };
    } catch (error) {
      return { isAnswer: false, problem: (error as Error).message };
    }
  };
  const answer = await asked('file PATH, decline or cancel: ', words, lines, { judge, print });
  if (answer === undefined) return undefined;
  return words.includes(answer) ? { action: answer } : { action: 'accept', file };
}

/** What a line is that is none of the words: an answer too, or none, for a reason if there is one to tell. */
type Judged = { readonly isAnswer: boolean; readonly problem?: string | undefined };

/** The gateway is sent values, not the text: what does not survive being parsed would be changed before it can refuse it. */
function judgeValues(text: string): Judged {
  if (!isObject(parseJson(text))) return { isAnswer: false };
  const problem = lossProblem(text);
  return { isAnswer: problem === undefined, problem };
}

/** One of the words, or what else is an answer; why a line is none is printed. */
async function asked(
  prompt: string,
  words: readonly string[],
  lines: Lines,
  others?: { readonly judge: (text: string) => Judged | Promise<Judged>; readonly print: Print },
): Promise<string | undefined> {
  for (;;) {
    const line = await lines.nextFromNow(prompt);
    if (line === undefined) return undefined;
    const text = line.trim();
    const word = text.toLowerCase();
    if (words.includes(word)) return word;
    const { isAnswer = false, problem } = (await others?.judge(text)) ?? {};
    if (isAnswer) return text;
    if (!lines.isTerminal) {
      const next = JSON.stringify(oneLine(text.slice(0, 40)));
      const isNone = `the next line of the input, ${next}, is none of ${words.join(', ')}`;
      throw new Error(`nothing was decided: ${problem ?? isNone}`);
    }
    if (text === '') return undefined;
    if (problem !== undefined) others?.print(problem);
  }
}

const notSeen = (...commands: readonly string[]): Error =>
  new Error(
    [
      'what is to be decided went to the standard output, which is no terminal; decide with',
      ...commands.map((command) => oneLine(`  ${command}`)),
    ].join('\n'),
  );

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
