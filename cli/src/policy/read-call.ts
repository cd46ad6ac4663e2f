import {
  canonicalArguments,
  type Json,
  nobody,
  nothingYet,
  type PolicyCall,
  type PolicyContext,
  parseJson,
  suggest,
} from '@stopgo/core';

/** A call to be tested, but for its hints. */
export type TestedCall = {
  readonly asked: Omit<PolicyCall, 'hints'>;
  readonly context: PolicyContext;
  /** In the form in which a tool has them: {"destructiveHint": true}. Undefined: the call gives none. */
  readonly annotations: Json | undefined;
};

type Mapping = { readonly [key: string]: Json };

const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];
const callKeys = ['server', 'tool', 'agent', 'agents', 'commit', 'node', 'args', 'annotations', 'caller', 'run'];

/** Reads the value of `--call`. Throws an error that says what of it is wrong: a rule that was tried over something else shows nothing. */
export function readCall(call: string): TestedCall {
  const given = mappingIn(parseJson(call), '--call');
  knownIn(given, '--call', callKeys);
  const read = canonicalArguments(JSON.stringify(given.args ?? {}, finite));
  if ('problem' in read) throw new Error(`--call: args: ${read.problem}`);
  const text = (key: string): string => textIn(given[key] ?? '', `--call: ${key}`);
  return {
    asked: {
      server: text('server'),
      tool: text('tool'),
      ...agentsIn(given),
      commit: text('commit'),
      node: text('node'),
      argumentsJson: read.json,
    },
    annotations: given.annotations === undefined ? undefined : annotationsIn(given.annotations),
    context: { caller: callerIn(given.caller ?? {}), run: runIn(given.run ?? {}) },
  };
}

/** The agent that makes the call is the last of those that work one below another. */
function agentsIn(given: Mapping): Pick<PolicyCall, 'agent' | 'agents'> {
  const agents = textsIn(given.agents ?? [], '--call: agents');
  const last = agents.at(-1) ?? '';
  const agent = textIn(given.agent ?? last, '--call: agent');
  if (agents.length > 0 && agent !== last)
    throw new Error(`--call: agent is the last of agents: ${JSON.stringify(last)}, not ${JSON.stringify(agent)}`);
  return { agent, agents: agents.length > 0 || agent === '' ? agents : [agent] };
}

function annotationsIn(value: Json): Json {
  const given = mappingIn(value, '--call: annotations');
  // Servers may say more than these of a tool.
  for (const key of Object.keys(given)) {
    const meant = hints.includes(key)
      ? undefined
      : suggest(`${key.replaceAll('_', '').replace(/hint$/i, '')}Hint`, hints);
    if (meant !== undefined) throw new Error(`--call: annotations: there is no ${key}; did you mean ${meant}?`);
  }
  return given;
}

function callerIn(value: Json): PolicyContext['caller'] {
  const given = mappingIn(value, '--call: caller');
  knownIn(given, '--call: caller', Object.keys(nobody));
  const text = (key: string): string => textIn(given[key] ?? '', `--call: caller: ${key}`);
  const { authenticated = false } = given;
  if (typeof authenticated !== 'boolean') throw new Error('--call: caller: authenticated takes true or false');
  return {
    ...{ id: text('id'), email: text('email'), name: text('name'), role: text('role') },
    groups: textsIn(given.groups ?? [], '--call: caller: groups'),
    authenticated,
  };
}

function runIn(value: Json): PolicyContext['run'] {
  const given = mappingIn(value, '--call: run');
  knownIn(given, '--call: run', Object.keys(nothingYet));
  const counts = mappingIn(given.calls ?? {}, '--call: run: calls');
  return {
    turn: countIn(given.turn ?? nothingYet.turn, '--call: run: turn'),
    calls: Object.fromEntries(
      Object.entries(counts).map(([name, count]) => [name, countIn(count, `--call: run: calls: ${name}`)]),
    ),
    approvals: countIn(given.approvals ?? nothingYet.approvals, '--call: run: approvals'),
  };
}

function knownIn(given: Mapping, where: string, known: readonly string[]): void {
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    const meant = suggest(key, known);
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
    throw new Error(`${where}: there is no ${key}${hint} (there are ${known.join(', ')})`);
  }
}

function mappingIn(value: Json | undefined, where: string): Mapping {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Mapping;
  const example = examples[where.split(': ').at(-1) ?? ''] ?? examples['--call'];
  throw new Error(`${where} takes a JSON object, such as ${example}`);
}

const examples: Readonly<Record<string, string>> = {
  '--call': '{"server": "bank", "tool": "transfer", "args": {"amount": 5}}',
  annotations: '{"readOnlyHint": true}',
  caller: '{"email": "ana@example.com", "role": "USER", "groups": ["finance"], "authenticated": true}',
  run: '{"turn": 2, "calls": {"bank/transfer": 1}, "approvals": 1}',
  calls: '{"bank/transfer": 1}',
};

function textIn(value: Json, where: string): string {
  if (typeof value !== 'string') throw new Error(`${where} takes a text`);
  return value;
}

function textsIn(value: Json, where: string): readonly string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw new Error(`${where} takes a list of texts`);
}

function countIn(value: Json, where: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`${where} takes a whole number, 0 or more`);
}

/** JSON writes a number that is too large for it as null, and rules would be tried over that. */
function finite(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error('--call: args: a number is too large');
  return value;
}
