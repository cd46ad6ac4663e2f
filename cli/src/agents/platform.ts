import { type ExactValue, exactText } from '@stopgo/client';
import { visibleText } from '@stopgo/core';
import { listIn, objectIn } from '../decide/answered.ts';
import { askGateway } from '../decide/gateway.ts';
import { terminalJson } from '../inspect/terminal-json.ts';
import { block, inPassing, oneLine, shownName } from '../shown.ts';

/** Agents of one page that is asked for. */
const pageAgents = 200;
const shownDigits = 12;

type Print = (line: string) => void;

type Agent = {
  readonly name: string;
  readonly description: string;
  readonly version: string | null;
  readonly tags: readonly string[];
  readonly repository: string;
  readonly file_path: string;
  readonly git_commit: string;
};

type Commit = { readonly hash: string; readonly message: string; readonly author: string; readonly timestamp: string };
type Place = { readonly git_commit: string; readonly file_path: string };

/** `stopgo agents list --url`: the agents of a platform, in the order of their names. */
export async function listAgentsOf(url: string, json: boolean, print: Print): Promise<void> {
  const agents: Agent[] = [];
  for (let cursor = ''; ; ) {
    const page = await askGateway(url, `/agents?${new URLSearchParams({ limit: String(pageAgents), cursor })}`);
    agents.push(...listIn<Agent>(url, page, 'agents'));
    const next = (page as { readonly next_cursor?: unknown }).next_cursor;
    // Pages go on in the order of names: one that does not would never end.
    if (typeof next !== 'string' || next <= cursor) break;
    cursor = next;
  }
  const width = Math.max(0, ...agents.map(({ name }) => name.length));
  for (const agent of agents)
    print(json ? terminalJson(agent) : oneLine(`${agent.name.padEnd(width)}  ${inPassing(agent.description)}`));
}

/** `stopgo agents show --url`: an agent as it is on the platform, or was at a commit, a branch or a tag. */
export async function showAgentOf(
  url: string,
  name: string,
  commit: string | undefined,
  json: boolean,
  print: Print,
): Promise<void> {
  const answer = await askGateway(url, pathOf(name, '', { commit }));
  const definition = objectIn<{ root?: { type?: unknown; prompt?: unknown } }>(url, answer, 'definition');
  if (json) return print(terminalJson(answer, 2));
  const {
    description,
    repository,
    file_path: path,
    git_commit: at,
    version,
    tags,
  } = objectIn<Agent>(url, answer, 'agent');
  print(oneLine(`${shownName(name)}: ${description}`));
  const more = [version === null ? '' : `, version ${version}`, tags.length === 0 ? '' : `, tags: ${tags.join(', ')}`];
  print(oneLine(`  ${path} of ${repository}, at ${short(at)}${more.join('')}`));
  const { root } = definition;
  // A tree has no one prompt.
  const isPrompt = root?.type === 'llm' && typeof root.prompt === 'string';
  for (const line of block(isPrompt ? String(root.prompt) : exactText(root as ExactValue), '  ')) print(line);
}

/** `stopgo agents history`: the latest commits that changed an agent, one line each. */
export async function printHistoryOf(
  url: string,
  name: string,
  { commit, limit }: { readonly commit: string | undefined; readonly limit: string | undefined },
  json: boolean,
  print: Print,
): Promise<void> {
  const answer = await askGateway(url, pathOf(name, '/history', { commit, limit }));
  for (const one of listIn<Commit>(url, answer, 'history')) {
    const { hash, timestamp, author, message } = one;
    const [subject = ''] = message.split('\n');
    print(
      json ? terminalJson(one) : oneLine(`${short(hash)}  ${timestamp}  ${inPassing(author)}  ${inPassing(subject)}`),
    );
  }
}

/** `stopgo agents diff`: what differs in the file of an agent from one commit to another, as a unified diff. */
export async function printDiffOf(
  url: string,
  name: string,
  { from, to }: { readonly from: string | undefined; readonly to: string | undefined },
  json: boolean,
  print: Print,
): Promise<void> {
  const answer = await askGateway(url, pathOf(name, '/diff', { from, to }));
  if (json) return print(terminalJson(answer));
  const after = objectIn<Place>(url, answer, 'to');
  const { from: before, patch } = answer as { readonly from?: Place | null; readonly patch?: unknown };
  const placeOf = (place: Place): string => oneLine(`${place.file_path} at ${short(place.git_commit)}`);
  if (typeof patch !== 'string' || patch === '')
    return print(`nothing differs: ${before ? placeOf(before) : ''}, ${placeOf(after)}`);
  print(`--- ${before ? placeOf(before) : '(not there)'}`);
  print(`+++ ${placeOf(after)}`);
  for (const line of visibleText(patch.replace(/\n$/u, '')).split('\n')) print(line);
}

const short = (hash: string): string => hash.slice(0, shownDigits);

/** A name is one part of the path, so that one that ends in `/history` is not taken for the history of another. */
function pathOf(name: string, below: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as [string, string]],
  );
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  return `/agents/${encodeURIComponent(name)}${below}${search}`;
}
