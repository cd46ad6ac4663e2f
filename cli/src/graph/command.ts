import { readFileSync } from 'node:fs';
import {
  agentFromDefinition,
  agentStream,
  type ConversationState,
  conversationOfStream,
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
import type { OpenedStore } from '../inspect/open-store.ts';
import { readEvents, streamOf } from '../inspect/read-events.ts';
import { agentDefinition } from '../parts/agent-definition.ts';
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

/** `stopgo graph`: the tree of a configuration. */
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
  const stream = streamOf(wanted.conversation);
  const id = conversationOfStream(stream);
  if (id === undefined)
    throw new Error(`"${visibleLine(wanted.conversation)}" is not the ID of a conversation (a UUID)`);
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
