import { byteLength, firstHidden } from '@stopgo/core';
import type { AgentFile } from './agent-file.ts';
import { fileBytesMax, frontmatterBytesMax, problemsMax } from './bounds.ts';
import { readFrontmatter } from './frontmatter.ts';
import { ownFields } from './own-fields.ts';
import { type AgentPlace, nameOfPath } from './place.ts';
import type { Position, Problem, ProblemKind } from './problem.ts';
import { type Parts, splitFile } from './split.ts';

/**
 * What a file of a repository says. `agent` is there exactly if the file can be used. With neither agent nor problems the file is no agent
 * at all: a README, for example.
 */
export type AgentReading = {
  readonly agent?: AgentFile;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
};

/** Reads one file. Never throws, executes nothing, and does bounded work on any text. `path`: inside the repository, with `/`. */
export function readAgentFile({ path, text }: { readonly path: string; readonly text: string }): AgentReading {
  const told = new Told(path);
  const agent = read(path, text, told);
  return { ...(agent === undefined ? {} : { agent }), problems: told.problems, warnings: told.warnings };
}

/** Collects what is said of a file, up to a bound. */
class Told {
  readonly problems: Problem[] = [];
  readonly warnings: Problem[] = [];
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  problem(kind: ProblemKind, message: string, at: Position = { line: 1, column: 1 }): undefined {
    this.#add(this.problems, { path: this.#path, ...at, message, kind });
  }

  warning(kind: ProblemKind, message: string, at: Position): void {
    this.#add(this.warnings, { path: this.#path, ...at, message, kind });
  }

  #add(to: Problem[], one: Problem): void {
    if (to.length < problemsMax) to.push(one);
  }
}

function read(path: string, text: string, told: Told): AgentFile | undefined {
  const at = nameOfPath(path);
  if (at.kind === 'none') return undefined;
  if (at.kind === 'problem') return told.problem(text.length === 0 ? 'path' : 'path', at.message);
  const { place } = at;
  const bytes = byteLength(text);
  if (bytes > fileBytesMax) {
    // What is that large and begins like no agent is none.
    if (!place.isCertain && !text.startsWith('---')) return undefined;
    return told.problem('size', `the file has ${bytes} bytes, more than ${fileBytesMax}; shorten its prompt`);
  }
  const split = splitFile(text);
  if (split.kind === 'none') {
    if (!place.isCertain) return undefined;
    return told.problem(
      'frontmatter',
      'the file has no frontmatter: begin it with a line ---, keys such as description, and a line ---',
    );
  }
  if (split.kind === 'problem')
    return place.isCertain || split.at.column > 1 ? told.problem('frontmatter', split.message, split.at) : undefined;
  return place.isCertain || saysAgent(split.parts.frontmatter) ? readParts(path, place, split.parts, told) : undefined;
}

/** Whether a frontmatter is one of an agent, also if it cannot be read: other markdown has a title, or a layout. */
function saysAgent(frontmatter: string): boolean {
  return /^["']?name["']?[ \t]*:/m.test(frontmatter) && /^["']?description["']?[ \t]*:/m.test(frontmatter);
}

function readParts(path: string, place: AgentPlace, parts: Parts, told: Told): AgentFile | undefined {
  const bytes = byteLength(parts.frontmatter);
  if (bytes > frontmatterBytesMax)
    return told.problem('size', `the frontmatter has ${bytes} bytes, more than ${frontmatterBytesMax}`);
  const nul = parts.body.indexOf('\0');
  if (nul >= 0) return told.problem('template', 'the prompt holds a NUL character; remove it', positionIn(parts, nul));
  const frontmatter = readFrontmatter(parts.frontmatter);
  if ('problems' in frontmatter) {
    for (const { message, at } of frontmatter.problems) told.problem('frontmatter', message, at);
    return undefined;
  }
  for (const { message, at } of frontmatter.warnings) told.warning('frontmatter', message, at);
  const { fields, problems, warnings } = ownFields(frontmatter.data);
  const placed = (where: Parameters<typeof frontmatter.positionOf>[0]): Position =>
    where.length === 0 ? { line: 1, column: 1 } : frontmatter.positionOf(where);
  for (const { message, place: where } of problems) told.problem('field', message, placed(where));
  for (const { message, place: where } of warnings) told.warning('field', message, placed(where));
  const prompt = parts.body.trim();
  if (prompt === '')
    told.problem('template', 'the prompt is empty: write below the frontmatter what the model is told', {
      line: parts.bodyLine,
      column: 1,
    });
  if (fields === undefined || told.problems.length > 0) return undefined;
  promptWarnings(parts, told);
  return { path, format: place.format, name: place.name, ...fields, title: fields.title ?? place.name, prompt };
}

/** What a reader of the file does not see, and a model does. */
function promptWarnings(parts: Parts, told: Told): void {
  const hidden = firstHidden(parts.body);
  if (hidden === undefined) return;
  const character = String.fromCodePoint(hidden);
  told.warning(
    'template',
    `the prompt holds U+${hidden.toString(16).toUpperCase().padStart(4, '0')}, which people do not see and a model reads; remove it`,
    positionIn(parts, parts.body.indexOf(character)),
  );
}

function positionIn({ body, bodyLine }: Parts, offset: number): Position {
  const before = body.slice(0, Math.max(0, offset)).split('\n');
  return { line: bodyLine + before.length - 1, column: (before.at(-1) ?? '').length + 1 };
}
