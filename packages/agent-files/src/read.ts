import { byteLength, suggest, templateVariables, unknownVariablesIn, withoutVariables } from '@stopgo/core';
import { readTree } from '@stopgo/runtime/yaml';
import type { AgentFile, AgentTree } from './agent-file.ts';
import { fileBytesMax, frontmatterBytesMax, problemsMax, recordedBytesMax } from './bounds.ts';
import { characterRemarks, hiddenIn, unsoundIn } from './characters.ts';
import { foreignFields } from './foreign-fields.ts';
import { type Frontmatter, readFrontmatter, readLooseFrontmatter } from './frontmatter.ts';
import { type FieldsReading, ownFields } from './own-fields.ts';
import { type AgentPlace, nameOfPath } from './place.ts';
import type { Position, Problem, ProblemKind } from './problem.ts';
import { type Parts, type SplitFile, splitFile } from './split.ts';

/**
 * What a file of a repository says. `agent` is there exactly if the file can be used. With neither agent nor problems the file is no agent
 * at all: a README, for example.
 */
export type AgentReading = {
  readonly agent?: AgentFile;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
};

/** A file of a repository. */
export type FileText = {
  /** Inside the repository, with `/`. */
  readonly path: string;
  readonly text: string;
  /** Bytes of the file, where the text is only its beginning: a file that is too large need not be read whole. */
  readonly bytes?: number;
};

/** Reads one file. Never throws, executes nothing, and does bounded work on any text. */
export function readAgentFile(file: FileText): AgentReading {
  const told = new Told(file.path);
  const agent = read(file, told);
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

function read({ path, text, bytes: whole = 0 }: FileText, told: Told): AgentFile | undefined {
  const at = nameOfPath(path);
  if (at.kind === 'none') return undefined;
  const { isCertain } = at.kind === 'agent' ? at.place : at;
  if (!isCertain && !text.slice(0, beginCharacters).includes('---')) return undefined;
  const split = splitFile(text);
  if (!isCertain && !saysAgent(split)) return undefined;
  const bytes = Math.max(whole, byteLength(text));
  if (bytes > fileBytesMax)
    return told.problem('size', `the file has ${bytes} bytes, more than ${fileBytesMax}; shorten it`);
  if (at.kind === 'problem') return told.problem(at.about, at.message);
  if (split.kind === 'problem') return told.problem('frontmatter', split.message, split.at);
  if (split.kind === 'parts') return readParts(path, at.place, split.parts, told);
  return told.problem(
    'frontmatter',
    'the file has no frontmatter: begin it with a line ---, keys such as description, and a line ---',
  );
}

/** A file that may be something else is an agent only if it begins with frontmatter, maybe behind a byte order mark. */
const beginCharacters = 8;

/** Whether a file says that it is one of an agent, also if it cannot be read: other markdown has a title, or a layout. */
function saysAgent(split: SplitFile): boolean {
  if (split.kind !== 'parts') return split.kind === 'problem' && split.isOtherLanguage;
  const { frontmatter } = split.parts;
  return /^["']?name["']?[ \t]*:/m.test(frontmatter) && /^["']?description["']?[ \t]*:/m.test(frontmatter);
}

function readParts(path: string, place: AgentPlace, parts: Parts, told: Told): AgentFile | undefined {
  const bytes = byteLength(parts.frontmatter);
  if (bytes > frontmatterBytesMax)
    return told.problem('size', `the frontmatter has ${bytes} bytes, more than ${frontmatterBytesMax}; shorten it`);
  const frontmatter =
    place.format === 'stopgo' ? readFrontmatter(parts.frontmatter) : readLooseFrontmatter(parts.frontmatter);
  if ('problems' in frontmatter) {
    for (const { message, at } of frontmatter.problems) told.problem('frontmatter', message, at);
    return undefined;
  }
  for (const { message, at } of frontmatter.warnings) told.warning('frontmatter', message, at);
  const fields = fieldsIn(frontmatter, place, told);
  const prompt = promptIn(parts, place, told);
  if (fields === undefined || prompt === undefined) return undefined;
  const { tree: written, ...others } = fields;
  const agent = { path, format: place.format, name: place.name, ...others, title: fields.title ?? place.name, prompt };
  const root = written === undefined ? undefined : treeIn(written, agent, frontmatter.positionOf, told);
  if (written !== undefined && root === undefined) return undefined;
  const recorded = byteLength(JSON.stringify([agent, root]));
  if (recorded > recordedBytesMax) {
    const shared = root === undefined ? '' : ', which counts once for each node without one of its own';
    const message = `what is recorded of the agent has ${recorded} bytes, more than ${recordedBytesMax}; shorten its prompt${shared}`;
    return told.problem('size', message);
  }
  return root === undefined ? agent : { ...agent, tree: { written, root } };
}

/** The tree of an agent; undefined if it has problems. */
function treeIn(
  written: unknown,
  { title, prompt, toolServers, approvals, onReject = 'cancel' }: AgentFile,
  positionOf: Frontmatter['positionOf'],
  told: Told,
): AgentTree['root'] | undefined {
  const { tree, problems, warnings } = readTree(written, {
    ...{ name: title, prompt, onReject, withoutVariables },
    model: '',
    approvalRequired: approvals === 'require',
    // Whoever may use all servers may name any.
    servers: toolServers ?? namedServers(written),
  });
  for (const { line, place } of problems) told.problem('field', line, positionOf(place));
  for (const { line, place } of warnings) told.warning('field', line, positionOf(place));
  return tree;
}

/** All names of servers in a tree. */
function namedServers(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { mcp_servers: own = [], agents = [] } = node as { mcp_servers?: unknown; agents?: unknown };
  const names = Array.isArray(own) ? own.filter((name) => typeof name === 'string') : [];
  return [...names, ...(Array.isArray(agents) ? agents.flatMap(namedServers) : [])];
}

function fieldsIn({ data, positionOf }: Frontmatter, place: AgentPlace, told: Told): FieldsReading['fields'] {
  const fileName = place.name.slice(place.name.lastIndexOf('/') + 1);
  const { fields, problems, warnings } =
    place.format === 'stopgo' ? ownFields(data) : foreignFields(place.format, data, fileName);
  const characters = characterRemarks(data);
  // What is about the whole is told of where it begins.
  const at = (where: (typeof problems)[number]['place']): Position =>
    where.length === 0 ? { line: 1, column: 1 } : positionOf(where);
  for (const { message, place: where } of [...characters.problems, ...problems])
    told.problem('field', message, at(where));
  for (const { message, place: where } of [...characters.warnings, ...warnings])
    told.warning('field', message, at(where));
  return characters.problems.length > 0 ? undefined : fields;
}

/** The body without what is around it; undefined if it cannot be used. */
function promptIn(parts: Parts, { format }: AgentPlace, told: Told): string | undefined {
  const { body, bodyLine } = parts;
  const prompt = body.trim();
  if (prompt === '') {
    const message = 'the prompt is empty: write below the frontmatter what the model is told';
    return told.problem('template', message, { line: bodyLine, column: 1 });
  }
  const unsound = unsoundIn(body);
  if (unsound !== undefined)
    return told.problem('template', `the prompt holds ${unsound.what}; remove it`, positionIn(parts, unsound.index));
  const hidden = hiddenIn(body);
  if (hidden !== undefined)
    told.warning('template', `the prompt holds ${hidden.what}; remove it`, positionIn(parts, hidden.index));
  // Other programs have no variables.
  for (const { name, offset } of format === 'stopgo' ? unknownVariablesIn(body) : []) {
    const meant = suggest(name, templateVariables);
    const hint = meant === undefined ? `known: ${templateVariables.join(', ')}` : `did you mean {{${meant}}}?`;
    told.warning(
      'template',
      `there is no variable "${name}", and it stays in the prompt as it is; ${hint}`,
      positionIn(parts, offset),
    );
  }
  return prompt;
}

function positionIn({ body, bodyLine }: Parts, offset: number): Position {
  const before = body.slice(0, Math.max(0, offset)).split('\n');
  return { line: bodyLine + before.length - 1, column: (before.at(-1) ?? '').length + 1 };
}
