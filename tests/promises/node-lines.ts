/** What a node is told that a message says nothing to. */
export const greeting = 'hello';
/** The node that hears a message which names none. */
const firstNode = 'first';

/** What the node of this name is told of a message: its line of it (`@name: …`). */
export function toldTo(node: string, message: string): string {
  const lines = message.split('\n').map((line) => /^@([\w-]+): (.*)$/.exec(line));
  if (!lines.some((line) => line !== null)) return node === firstNode ? message : greeting;
  return lines.find((line) => line?.[1] === node)?.[2] ?? greeting;
}

/** What a message begins with whose lines are to be done one after the other, each once the model has the result of the one before. */
const inTurn = 'in turn: ';

/** A message by which a model does one thing after the other. */
export function messageInTurn(lines: readonly string[]): string {
  return `${inTurn}${JSON.stringify(lines)}`;
}

/** What is to be done after so many answers to such a message; undefined: nothing more, or it is another message. */
export function lineInTurn(message: string, answers: number): string | undefined {
  if (!message.startsWith(inTurn)) return undefined;
  return (JSON.parse(message.slice(inTurn.length)) as readonly string[])[answers];
}

/** The prompt of the node of this name. */
export function promptOf(node: string): string {
  return `You are node ${node}.`;
}
