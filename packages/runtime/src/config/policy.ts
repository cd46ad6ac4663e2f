import { type Policy, type PolicyProblem, readPolicy } from '@stopgo/core';
import { LineCounter, parseDocument } from 'yaml';
import { ConfigError } from './config-error.ts';
import { positionOf } from './places.ts';
import { formatPath, type Problem, problemAt } from './problem.ts';

/** The problems of rules that stand in the configuration itself, under `approvals`. */
export function approvalsProblems(problems: readonly PolicyProblem[]): Problem[] {
  return problems.map(({ path, message }) => problemAt(['approvals', ...path], message));
}

/**
 * The rules of a file of their own, with `rules` at its top. `webhooks`: the names of those that they may name; undefined: any.
 *
 * @throws ConfigError with every problem of the file at once, one line each, and where it is.
 */
export function parsePolicy(source: string, path: string, webhooks?: readonly string[]): Policy {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    const faults = document.errors.map(({ pos, message }) => {
      const { line, col } = lines.linePos(pos[0]);
      return `${path}:${line}:${col}: ${message.replace(/\s+/g, ' ')}`;
    });
    throw new ConfigError(path, faults, faults);
  }
  const read = readPolicy(document.toJS(), webhooks);
  if (read.kind === 'policy') return read.policy;
  const located = read.problems.map(({ path: place, message }) => {
    const { line, column } = positionOf(document, lines, place);
    const where = place.length === 0 ? '' : `${formatPath(place)}: `;
    return `${path}:${line}:${column}: ${where}${message}`;
  });
  throw new ConfigError(path, located, located);
}
