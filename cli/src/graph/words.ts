import {
  type AgentNode,
  type NodeProgress,
  type PicturedRun,
  type PictureNode,
  placeholdersOf,
  type Spent,
  visibleLine,
  visibleUrl,
  type Wait,
} from '@stopgo/core';

/*
 * What is said of a node and of a run, the same in every form of the picture. All of it is plain text on one line; what
 * comes from a definition or from an event has nothing in it that a terminal would act upon.
 */

/** Characters of a name that are shown. */
const labelCharactersMax = 128;

const nanosPerDollar = 1_000_000_000;

/** Text as one line: what breaks lines or deceives is made visible, what is long is cut and marked. */
export function label(text: string): string {
  const line = visibleLine(text);
  const characters = [...line];
  return characters.length <= labelCharactersMax ? line : `${characters.slice(0, labelCharactersMax).join('')}…`;
}

/**
 * What kind of node it is, what its definition says of it, and which models answered, `models`, where it names another: a demo's
 * answers come from the offline model.
 */
export function whatItIs(node: AgentNode, models: readonly string[] = []): string {
  const { outputKey = '' } = node;
  const writes = outputKey === '' ? [] : [`writes ${label(outputKey)}`];
  switch (node.type) {
    case 'llm':
      return [
        `llm ${label(node.model)}`,
        ...answeredBy(node.model, models),
        ...readsOf(node.prompt),
        ...writes,
        ...(node.toolServers === undefined ? [] : [`tools of ${listed(node.toolServers)}`]),
        ...(node.tools === undefined ? [] : [`tools ${listed(node.tools)}`]),
        ...(node.canExitLoop ? ['may exit the loop'] : []),
        ...(node.approval === 'require' ? ['approval: require'] : []),
      ].join(', ');
    case 'a2a':
      return [
        `a2a ${label(visibleUrl(node.agent.url))}`,
        ...readsOf(node.prompt),
        ...writes,
        ...(node.agent.destructive ? ['destructive'] : []),
        ...(node.approval === 'require' ? ['approval: require'] : []),
      ].join(', ');
    case 'sequential':
      return ['sequential', ...writes].join(', ');
    case 'parallel':
      return ['parallel', ...(node.onError === 'continue' ? ['on_error: continue'] : []), ...writes].join(', ');
    case 'loop':
      return [`loop, at most ${node.iterationsMax} times`, ...writes].join(', ');
  }
}

function answeredBy(model: string, models: readonly string[]): string[] {
  // Who answers is recorded without the name of the provider.
  const others = models.filter((one) => one !== model && !model.endsWith(`:${one}`));
  return others.length === 0 ? [] : [`answered by ${listed(others)}`];
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : label(names.join(' '));
}

function readsOf(prompt: string): string[] {
  const keys = placeholdersOf(prompt);
  return keys.length === 0 ? [] : [`reads ${label(keys.join(' '))}`];
}

/** How far it has come. */
export function howFar({ status, iteration, executions }: NodeProgress): string {
  const rounds = iteration === 0 ? [] : [`iteration ${iteration}`];
  return [status, ...rounds, ...(executions > 1 ? [`begun ${executions} times`] : [])].join(', ');
}

/** Something that it waits for, with what is needed to answer it. */
export function waitsFor({ kind, id, tool, server, since }: Wait): string {
  const whose = server === '' ? '' : ` of ${label(server)}`;
  const about = tool === '' ? '' : ` for ${label(tool)}${whose}`;
  const from = `, since ${timeText(since)}`;
  switch (kind) {
    case 'approval':
      return `waits for approval ${label(id)}${about}${from}`;
    case 'in_doubt':
      return `in doubt, waits for approval ${label(id)}${about}${from}`;
    case 'auth':
      return `waits for a bearer token${about}${from}`;
    case 'input':
      return `waits for input ${label(id)}${about}${from}`;
  }
}

/** The run in two lines: which, and how it went as a whole. */
export function runLines(agent: string, run: PicturedRun, { progress }: PictureNode): readonly [string, string] {
  const { inputTokens = 0, outputTokens = 0 } = progress ?? {};
  const isOpen = run.standing === 'working' || run.standing === 'waiting';
  const cost = run.spent === undefined ? '' : costText(run.spent);
  const took = `${tookText(run.tookMs)}${isOpen ? ' so far' : ''}`;
  return [
    `agent ${label(agent)}, conversation ${label(run.conversationId)}, run ${label(run.id)}: ${run.standing}`,
    `started ${timeText(run.startedAt)}, ${took}, ${inputTokens} tokens in, ${outputTokens} out${cost === '' ? '' : `, ${cost}`}`,
  ];
}

/** What answers cost, in dollars; empty if no price is known. */
function costText({ costNanoUsd, unpriced = 0 }: Spent): string {
  if (costNanoUsd === undefined) return '';
  const dollars = `$${(costNanoUsd / nanosPerDollar).toFixed(6)}`;
  return unpriced === 0 ? dollars : `${dollars} (without ${unpriced} answers whose price is not known)`;
}

/** A time as all commands write it. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How long something took, to three figures or so. */
export function tookText(ms: number): string {
  if (ms < secondMs) return `${ms} ms`;
  if (ms < minuteMs) return `${(ms / secondMs).toFixed(1)} s`;
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min ${Math.floor((ms % minuteMs) / secondMs)} s`;
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h ${Math.floor((ms % hourMs) / minuteMs)} min`;
  return `${Math.floor(ms / dayMs)} d ${Math.floor((ms % dayMs) / hourMs)} h`;
}
