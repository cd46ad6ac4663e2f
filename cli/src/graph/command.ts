import { readFileSync } from 'node:fs';
import {
  agentFromDefinition,
  agentStream,
  type ConversationState,
  DomainError,
  defineAgent,
  evolve,
  evolveTrace,
  initialState,
  type Picture,
  pictureOfAgent,
  pictureOfRun,
  type RunState,
  type RunTrace,
  visibleLine,
} from '@stopgo/core';
import { loadAgentConfig } from '@stopgo/runtime';
import { type LogSource, type OpenedStore, withStore } from '../inspect/open-store.ts';
import { conversationIn, readEvents } from '../inspect/read-events.ts';
import { agentDefinition } from '../parts/agent-definition.ts';
import { defaultConfigPath } from '../start/start-config.ts';
import { mermaidPicture } from './mermaid-picture.ts';
import { textPicture } from './text-picture.ts';

/** Makes lines of a picture. */
export type Render = (picture: Picture) => readonly string[];

const formats: ReadonlyMap<string, Render> = new Map([
  ['text', textPicture],
  ['mermaid', mermaidPicture],
]);

/** The form that `--format` names; text without it. */
export function renderOf(format: string | undefined): Render {
  const render = formats.get(format ?? 'text');
  if (render === undefined) throw new Error(`--format takes text or mermaid, not "${visibleLine(format ?? '')}"`);
  return render;
}

/** The options of `stopgo graph`, those that were given. */
export type GraphFlags = {
  readonly run?: string | undefined;
  readonly config?: string | undefined;
  readonly store?: string | undefined;
  readonly 'data-dir'?: string | undefined;
  readonly format?: string | undefined;
};

/** `stopgo graph`: a run of a conversation; without one, the tree of a configuration. */
export async function graph(
  conversation: string | undefined,
  flags: GraphFlags,
  source: LogSource,
  host: NodeJS.Process,
  print: (line: string) => void,
): Promise<void> {
  const { config, run, store, 'data-dir': dataDir } = flags;
  const render = renderOf(flags.format);
  const show = (picture: Picture): void => render(picture).forEach(print);
  if (conversation !== undefined) {
    // Who names another place to read from has no file to compare with, unless it is named too.
    const file = config ?? (store === undefined && dataDir === undefined ? defaultConfigPath : undefined);
    const wanted = { conversation, ...(run === undefined ? {} : { run }) };
    const note = (line: string): void => void host.stderr.write(`${line}\n`);
    return withStore(source, host, async (opened) =>
      show(await pictureFromLog(opened, wanted, file, Date.now(), note)),
    );
  }
  for (const name of ['run', 'store', 'data-dir'] as const)
    if (flags[name] !== undefined) throw new Error(`--${name} goes with the ID of a conversation`);
  show(pictureOfFile(config ?? defaultConfigPath));
}

/** The tree of a configuration. */
export function pictureOfFile(config: string): Picture {
  return pictureOfAgent(agentOfFile(config));
}

/** Which run of which conversation; without a run the latest. */
export type WantedRun = { readonly conversation: string; readonly run?: string };

/**
 * `stopgo graph CONVERSATION`: a run over the tree that it was started with. A note says when the file (if one is given)
 * describes another tree by now. `now` is in milliseconds since 1970.
 *
 * @throws Error in one line if there is no such conversation or run.
 */
export async function pictureFromLog(
  opened: OpenedStore,
  wanted: WantedRun,
  config: string | undefined,
  now: number,
  note: (line: string) => void,
): Promise<Picture> {
  const ofFile = config === undefined ? undefined : defineAgent(agentOfFile(config)).digest;
  const { state, trace } = await readRun(opened, wanted);
  const definition = await readDefinition(opened, trace.agentDigest);
  if (ofFile !== undefined && ofFile !== trace.agentDigest)
    note(
      `note: ${visibleLine(config ?? '')} describes another agent by now; this is the one that the run started with`,
    );
  return pictureOfRun(agentFromDefinition(definition), trace, state, now);
}

function agentOfFile(path: string) {
  return agentDefinition(loadAgentConfig(path, { readFile: (file) => readFileSync(file, 'utf8') }).config);
}

type ReadRun = { readonly state: ConversationState & { readonly run: RunState }; readonly trace: RunTrace };

async function readRun(opened: OpenedStore, wanted: WantedRun): Promise<ReadRun> {
  const { stream, id } = conversationIn(wanted.conversation);
  let state: ConversationState = initialState;
  let trace: RunTrace | undefined;
  for await (const { event } of readEvents(opened.client, stream)) {
    // Of the run that is wanted the state must be that of its end, not that of the next one.
    if (event.fact.case === 'runStarted' && trace !== undefined && trace.runId === wanted.run) break;
    state = evolve(state, event);
    trace = evolveTrace(trace, event);
  }
  if (trace === undefined) throw new Error(`conversation ${id} has no run yet`);
  if (wanted.run !== undefined && trace.runId !== wanted.run)
    throw new Error(
      `conversation ${id} has no run "${visibleLine(wanted.run)}"; "stopgo events ${id}" shows its runs (RunStarted)`,
    );
  const { run } = state;
  if (run === null)
    throw new DomainError('data_loss', `the run ${trace.runId} is not in the state of its conversation`);
  return { state: { ...state, run }, trace };
}

async function readDefinition(opened: OpenedStore, digest: string): Promise<string> {
  const stream = agentStream(digest);
  for await (const { event } of readEvents(opened.client, stream))
    if (event.fact.case === 'agentDefined') return event.fact.value.definitionJson;
  throw new DomainError('data_loss', `the stream ${stream} holds no definition of an agent`);
}
