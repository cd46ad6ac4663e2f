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

/** The prompt of the node of this name. */
export function promptOf(node: string): string {
  return `You are node ${node}.`;
}
