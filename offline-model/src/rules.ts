import { isObject } from './json.ts';
import { mediaLine } from './media.ts';
import { startingWith, type Wish, wishesOf } from './phrases.ts';
import { type Answer, type Call, type DeclaredTool, type ToolOutcome, type Turn, taskOf, wantsWords } from './turn.ts';

/** The longest piece of a tool's own text that an answer repeats, in characters. */
const quotedCharactersMax = 4000;
/** How many calls a greeting shows. */
const examplesMax = 3;
const list = 'resources_list';
const add = 'resources_add';
const remove = 'resources_remove';
const exit = 'exit_loop';
/** What the tools begin with that are other agents. */
const agentPrefix = 'a2a_';
/** What the names of resources begin with that nobody named. */
const unnamedPrefix = 'resource-';

/**
 * The rule-driven model. After tool results it reports them, unless they show that what is to be ensured is not yet so; where
 * its instructions want words it says what it understood; else it turns a plain sentence into calls of the tools that the
 * request declares; else it says what it can do. The same request always gives the same answer.
 */
export function answerByRules(turn: Turn): Answer {
  const task = taskOf(turn);
  const wishes = wishesOf(task);
  if (turn.results.length > 0)
    return ensure(wishes, turn) ?? say([...turn.results.map(reportOf), ...turn.media.map(mediaLine)].join('\n\n'));
  if (wantsWords(turn)) return say(`As I understand it: ${task}`);
  const direct = directCall(task, turn.tools) ?? delegated(task, turn.tools);
  if (direct) return { text: '', calls: [direct] };
  const calls: Call[] = [];
  for (const wish of wishes) {
    const fitted = fit(wish, turn.tools);
    if (typeof fitted === 'string') return say(fitted);
    calls.push(fitted);
  }
  return calls.length > 0 ? { text: '', calls } : say(helpText(turn.tools));
}

/** What a listing makes of the wish to ensure a number of resources: one more of them, or enough, which ends a loop. */
function ensure(wishes: readonly Wish[], { results, tools }: Turn): Answer | undefined {
  const wish = wishes.find(({ kind }) => kind === 'ensure');
  const listed = results.map(countOf).find((count) => count !== undefined);
  if (wish?.kind !== 'ensure' || listed === undefined) return undefined;
  if (listed < wish.count) {
    const number = String(listed + 1);
    const fitted = fit({ kind: 'add', name: `${wish.prefix ?? unnamedPrefix}${number}`, value: number }, tools);
    return typeof fitted === 'string' ? say(fitted) : { text: '', calls: [fitted] };
  }
  const isInLoop = tools.some(({ name }) => name === exit);
  const text = `There are ${listed} resources, and at least ${wish.count} were to be there.`;
  return { text, calls: isInLoop ? [{ name: exit, args: {} }] : [] };
}

/** How many resources a listing tells of; undefined if it is none. */
function countOf({ name, content, isError }: ToolOutcome): number | undefined {
  if (name !== list || isError) return undefined;
  const listed = parsed(content);
  return isObject(listed) && typeof listed.count === 'number' ? listed.count : undefined;
}

/** `call NAME {…}` calls any declared tool with exactly these arguments. */
function directCall(task: string, tools: readonly DeclaredTool[]): Call | undefined {
  const match = /^\s*(?:please\s+)?(?:call|use|run)\s+(?:the\s+)?(?:tool\s+)?(\S+?)(?:\s+with)?\s*(\{.*\})?\s*$/is.exec(
    task,
  );
  const tool = tools.find(({ name }) => name === match?.[1]);
  if (!match || !tool) return undefined;
  try {
    const args: unknown = JSON.parse(match[2] ?? '{}');
    return isObject(args) ? { name: tool.name, args } : undefined;
  } catch {
    return undefined;
  }
}

/** `ask NAME to DO` hands what is to be done to the agent of that name, if it is among the tools. */
function delegated(task: string, tools: readonly DeclaredTool[]): Call | undefined {
  const match = /^\s*(?:please\s+)?ask\s+(?:the\s+)?(\S+)\s+to\s+(.+)$/is.exec(task);
  const tool = tools.find(({ name }) => name === `${agentPrefix}${match?.[1]}`);
  return match?.[2] === undefined || !tool ? undefined : { name: tool.name, args: { message: match[2].trim() } };
}

function fit(wish: Wish, tools: readonly DeclaredTool[]): Call | string {
  const name = { list: list, add: add, remove: remove, ensure: list }[wish.kind];
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool) return `I would need the tool ${name} for that, and this agent does not offer it. ${helpText(tools)}`;
  if (wish.kind === 'list') return { name, args: wish.pattern === undefined ? {} : { pattern: wish.pattern } };
  if (wish.kind === 'ensure')
    return { name, args: wish.prefix === undefined ? {} : { pattern: startingWith(wish.prefix) } };
  if (wish.kind === 'remove') return { name, args: 'id' in wish ? { id: wish.id } : { pattern: wish.pattern } };
  const value = asDeclared(wish.value, tool);
  if (value === undefined) return `The value of "${wish.name}" must be a number, but "${wish.value}" is none.`;
  return { name, args: { name: wish.name, value } };
}

function asDeclared(value: string, tool: DeclaredTool): string | number | undefined {
  const properties = tool.parameters.properties;
  const schema = isObject(properties) ? properties.value : undefined;
  // The classic Gemini schema dialect writes its types in capitals.
  const type = isObject(schema) && typeof schema.type === 'string' ? schema.type.toLowerCase() : undefined;
  if (type === 'string') return value;
  const number = value.trim() === '' ? Number.NaN : Number(value);
  if (type === 'integer') return Number.isInteger(number) ? number : undefined;
  if (type === 'number') return Number.isFinite(number) ? number : undefined;
  return Number.isFinite(number) ? number : value;
}

function reportOf(outcome: ToolOutcome): string {
  if (outcome.isError || saysRejected(outcome.content)) {
    return `${outcome.name} was not carried out: ${quoted(outcome.content)}`;
  }
  return readable(outcome) ?? `${outcome.name} returned: ${quoted(outcome.content)}`;
}

/** A human's refusal reads as a sentence; JSON that happens to hold such a word is a result. */
function saysRejected(content: string): boolean {
  return /\b(?:operation cancell?ed|rejected|denied)\b/i.test(content) && !/^\s*[{[]/.test(content);
}

/** A sentence for the results of the resource tools, if they look as expected. */
function readable({ name, content }: ToolOutcome): string | undefined {
  const result = parsed(content);
  if (!isObject(result)) return undefined;
  if (name === list && 'resources' in result) return listing(name, result.resources);
  if (name === add && 'name' in result) {
    return `${name}: added "${result.name}" with value ${result.value} (id ${result.id}).`;
  }
  if (name === remove && typeof result.removed_count === 'number') {
    const count = result.removed_count;
    return `${name}: removed ${count} ${count === 1 ? 'resource' : 'resources'}.`;
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function listing(name: string, resources: unknown): string {
  const rows = Array.isArray(resources) ? resources.filter(isObject) : [];
  if (rows.length === 0) return `${name}: there are no resources.`;
  const lines = rows.map((row) => `- ${row.name} = ${row.value} (id ${row.id})`);
  return `${name}: ${rows.length} ${rows.length === 1 ? 'resource' : 'resources'}:\n${quoted(lines.join('\n'))}`;
}

function quoted(text: string): string {
  return text.length <= quotedCharactersMax ? text : `${text.slice(0, quotedCharactersMax)}… (cut)`;
}

function helpText(tools: readonly DeclaredTool[]): string {
  if (tools.length === 0) return 'Hello! I am the offline model. I was given no tools, so there is little I can do.';
  const names = tools.map((tool) => tool.name).join(', ');
  const hello = `Hello! I am the offline model: I follow simple rules. The tools I see: ${names}. `;
  if (![list, add, remove].some((name) => tools.some((tool) => tool.name === name)))
    return `${hello}Name one and its arguments, such as: ${tools.slice(0, examplesMax).map(exampleCall).join('  or  ')}`;
  return (
    hello +
    'Try "list all resources", "create a server my-test with value 42" or "remove my-test"; ' +
    'or name a tool and its arguments: call TOOL {"argument": "value"}.'
  );
}

/** A sentence that calls a tool with all that it requires. The values are to be replaced. */
function exampleCall({ name, parameters }: DeclaredTool): string {
  const properties = isObject(parameters.properties) ? parameters.properties : {};
  const required = Array.isArray(parameters.required) ? parameters.required.map(String) : [];
  const args = Object.fromEntries(required.map((key) => [key, exampleValue(properties[key])]));
  return `call ${name} ${JSON.stringify(args)}`;
}

function exampleValue(schema: unknown): unknown {
  const type = isObject(schema) && typeof schema.type === 'string' ? schema.type.toLowerCase() : 'string';
  if (type === 'integer' || type === 'number') return 1;
  if (type === 'boolean') return true;
  if (type === 'array') return [];
  return type === 'object' ? {} : '…';
}

function say(text: string): Answer {
  return { text, calls: [] };
}
