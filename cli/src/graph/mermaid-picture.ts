import { type NodeStatus, type Picture, type PictureNode, visibleLine } from '@stopgo/core';
import { howFar, label, runLines, timeText, tookText, waitsFor, whatItIs } from './words.ts';

/** The look of each status: what needs somebody stands out. */
const classes: Readonly<Record<NodeStatus, { readonly name: string; readonly style: string }>> = {
  'not reached': { name: 'notReached', style: 'fill:#ffffff,stroke:#999999,color:#666666' },
  running: { name: 'running', style: 'fill:#dbeafe,stroke:#2563eb,color:#111111' },
  waiting: { name: 'waiting', style: 'fill:#fef3c7,stroke:#d97706,stroke-width:3px,color:#111111' },
  done: { name: 'done', style: 'fill:#dcfce7,stroke:#16a34a,color:#111111' },
  failed: { name: 'failed', style: 'fill:#fee2e2,stroke:#dc2626,color:#111111' },
  skipped: { name: 'skipped', style: 'fill:#f5f5f5,stroke:#999999,stroke-dasharray:4,color:#666666' },
  canceled: { name: 'canceled', style: 'fill:#e5e5e5,stroke:#666666,color:#111111' },
};

/** The picture as a Mermaid flowchart, a line each. Children that run in order are numbered. */
export function mermaidPicture({ agent, root, run }: Picture): string[] {
  const about = run === undefined ? [] : runLines(agent, run, root).map((line) => `  %% ${commentText(line)}`);
  const used = Object.values(classes).filter(({ name }) => nodesOf(root).some((one) => classOf(one) === name));
  return [
    'flowchart TD',
    ...about,
    ...linesOf(root, 'root'),
    ...used.map(({ name, style }) => `  classDef ${name} ${style}`),
  ];
}

/** Ids are places, so that no name has to be one. */
function linesOf(one: PictureNode, id: string): string[] {
  const { node, children } = one;
  const name = classOf(one);
  const self = `  ${id}["${linesIn(one).map(mermaidText).join('<br/>')}"]${name === undefined ? '' : `:::${name}`}`;
  const below = children.flatMap((child, index) => {
    const childId = `${id}_${index}`;
    const arrow = node.type === 'parallel' ? '-->' : `-->|${index + 1}|`;
    return [...linesOf(child, childId), `  ${id} ${arrow} ${childId}`];
  });
  return [self, ...below];
}

function linesIn({ node, progress }: PictureNode): string[] {
  const lines = [label(node.name), whatItIs(node, progress?.models)];
  if (progress === undefined) return lines;
  const { startedAt, tookMs, inputTokens, outputTokens, waits } = progress;
  if (startedAt === undefined) return [...lines, howFar(progress)];
  const times = `started ${timeText(startedAt)}, took ${tookText(tookMs)}`;
  return [...lines, howFar(progress), times, `${inputTokens} tokens in, ${outputTokens} out`, ...waits.map(waitsFor)];
}

function classOf({ progress }: PictureNode): string | undefined {
  return progress === undefined ? undefined : classes[progress.status].name;
}

function nodesOf(one: PictureNode): PictureNode[] {
  return [one, ...one.children.flatMap(nodesOf)];
}

/**
 * A character that is not written as it is. Letters and digits are, single spaces between other characters, and a few marks
 * between letters or digits: Mermaid takes all the rest for something else somewhere, for a quote, a bracket, HTML, a
 * directive, or Markdown, such as a list where a line begins with `1.`, or a link.
 */
const special =
  /(?![\p{L}\p{M}\p{N}]|(?<=[\p{L}\p{N}])[_-](?=[\p{L}\p{N}])|(?<=\p{N})[.:](?=\p{N})|(?<=[\p{L}\p{N}]),|(?<=[^ ]) (?=[^ ]))./gsu;

/** Text for a comment of Mermaid, which ends with its line; braces would make a directive of it. */
function commentText(text: string): string {
  return visibleLine(text).replace(/[{}]/g, (brace) => `#${brace.codePointAt(0)};`);
}

/** Text for a label of Mermaid: what is special stands as the entity of its code point. */
export function mermaidText(text: string): string {
  return text.replace(special, (character) => `#${character.codePointAt(0)};`);
}
