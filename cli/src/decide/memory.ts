import { exactJson } from '@stopgo/client';
import { canonicalArguments, type Json, parseJson } from '@stopgo/core';
import { terminalJson } from '../inspect/terminal-json.ts';
import { inPassing, oneLine, shownName } from '../shown.ts';
import { listIn, objectIn } from './answered.ts';
import { askGateway } from './gateway.ts';

/** Memories of one page that is asked for. */
const pageMemories = 200;

type Print = (line: string) => void;

type ShownMemory = {
  readonly key: string;
  readonly value: Json;
  readonly expires_at: string | null;
  readonly saved_at: string;
  readonly saved_by: { readonly kind: string; readonly id: string };
  readonly run_id: string | null;
  readonly revision: number;
};

/** What `stopgo memory` is given beside the words of its action. */
export type MemoryFlags = {
  readonly search: string | undefined;
  /** When a value expires; absent: never. */
  readonly until: string | undefined;
  /** The revision that must be there still; 0: nothing must be. */
  readonly at: string | undefined;
  readonly json: boolean;
};

/** `stopgo memory`: what an agent remembers. @throws Error in one line if it cannot do what it was asked. */
export async function memoryCommand(
  url: string,
  [action = '', agent = '', key, value, ...more]: readonly string[],
  flags: MemoryFlags,
  print: Print,
): Promise<void> {
  const takes = takesOf[action];
  if (takes === undefined) throw new Error('stopgo memory takes list, show, set or remove');
  const given = [agent === '' ? undefined : agent, key, value].filter((word) => word !== undefined).length;
  if (given !== takes.words || more.length > 0) throw new Error(`stopgo memory ${action} takes ${takes.what}`);
  const wrong = (['search', 'until', 'at'] as const).find(
    (name) => flags[name] !== undefined && !takes.flags.includes(name),
  );
  if (wrong !== undefined) throw new Error(`--${wrong} does not go with stopgo memory ${action}`);
  switch (action) {
    case 'list':
      await list(url, agent, flags, print);
      break;
    case 'show':
      show(print, flags, objectIn(url, await askGateway(url, pathOf(agent, key)), 'memory'));
      break;
    case 'set': {
      const body = { ...bodyOf(value ?? ''), ...(flags.until === undefined ? {} : { expires_at: flags.until }) };
      const answer = await askGateway(url, pathOf(agent, key), { method: 'PUT', body, headers: ifStill(flags.at) });
      show(print, flags, objectIn(url, answer, 'memory'));
      break;
    }
    default:
      await askGateway(url, pathOf(agent, key), { method: 'DELETE', headers: ifStill(flags.at) });
      print(`${shownName(key ?? '')} is forgotten; the log keeps what was saved`);
  }
}

const takesOf: Readonly<
  Record<string, { readonly what: string; readonly words: number; readonly flags: readonly string[] }>
> = {
  list: { what: 'NAME: of an agent', words: 1, flags: ['search'] },
  show: { what: 'NAME KEY', words: 2, flags: [] },
  set: { what: 'NAME KEY JSON', words: 3, flags: ['until', 'at'] },
  remove: { what: 'NAME KEY', words: 2, flags: ['at'] },
};

async function list(url: string, agent: string, { search = '', json }: MemoryFlags, print: Print): Promise<void> {
  for (let cursor = ''; ; ) {
    const query = new URLSearchParams({ limit: String(pageMemories), cursor, query: search });
    const page = await askGateway(url, `${pathOf(agent)}?${query}`);
    for (const one of listIn<ShownMemory>(url, page, 'memories')) print(json ? terminalJson(one) : inOneLine(one));
    const next = (page as { readonly next_cursor?: unknown }).next_cursor;
    // Pages go on in the order of keys: one that does not would never end.
    if (typeof next !== 'string' || next <= cursor) return;
    cursor = next;
  }
}

function inOneLine({ key, value, expires_at: until }: ShownMemory): string {
  const expires = until === null ? '' : `  (until ${until})`;
  return oneLine(`${shownName(key)}  ${inPassing(exactJson(value as object))}${expires}`);
}

function show(print: Print, { json }: MemoryFlags, memory: ShownMemory): void {
  if (json) {
    print(terminalJson(memory, 2));
    return;
  }
  const { key, value, expires_at: until, saved_at: at, saved_by: by, run_id: run, revision } = memory;
  const where = run === null ? '' : ` in run ${run}`;
  const expires = until === null ? '' : `, until ${until}`;
  print(
    oneLine(
      `${shownName(key)}: saved at ${at} by ${by.kind} ${shownName(by.id)}${where}${expires}, revision ${revision}`,
    ),
  );
  for (const line of terminalJson(value, 2).split('\n')) print(`  ${line}`);
}

function pathOf(agent: string, key?: string): string {
  const name = agent.split('/').map(encodeURIComponent).join('/');
  return `/agents/${name}/memories${key === undefined ? '' : `/${encodeURIComponent(key)}`}`;
}

function ifStill(revision: string | undefined): Record<string, string> {
  if (revision === undefined) return {};
  if (!/^(0|[1-9]\d{0,8})$/.test(revision)) throw new Error('--at takes a revision, as stopgo memory show prints it');
  return revision === '0' ? { 'if-none-match': '*' } : { 'if-match': `"${revision}"` };
}

function bodyOf(value: string): object {
  if (parseJson(value) === undefined)
    throw new Error(`the value must be JSON, such as '{"name":"Ada"}'; a text stands in quotes: '"Ada"'`);
  const read = canonicalArguments(`{"value":${value}}`);
  if ('problem' in read) throw new Error(oneLine(read.problem.replace('arguments', 'value')));
  return JSON.parse(read.json) as object;
}
