import { type Actor, visibleText } from '@stopgo/core';

/** Characters of the name that is told: no agent takes a longer one. */
const nameCharactersMax = 128;
/** Characters of it that the agents have that it came through. */
const agentsCharactersMax = 96;

/**
 * Who decided, as the agent below is told: the name, and the agent at which it was given. To that agent it is a claim of this
 * one. Undefined if nobody in particular decided, or no human.
 */
export function decidedBy({ kind, id }: Actor, agentName: string): string | undefined {
  if (kind !== 'approver' || id === 'anonymous') return undefined;
  // Of a name that came down a chain itself, the agents are kept: a long name is cut before them, and this agent's own is kept
  // before theirs.
  const [first = '', ...agents] = oneLine(id).split(' via ');
  const name = [...first];
  const own = [...` via ${oneLine(agentName)}`].slice(0, agentsCharactersMax);
  const others = [...agents.map((one) => ` via ${one}`).join('')].slice(0, agentsCharactersMax - own.length);
  const via = [...others, ...own];
  const room = nameCharactersMax - via.length;
  const shown = name.length > room ? [...name.slice(0, room - 1), '…'] : name;
  return name.length === 0 ? undefined : [...shown, ...via].join('').trim();
}

const oneLine = (text: string): string => visibleText(text).replace(/\s+/g, ' ').trim();
