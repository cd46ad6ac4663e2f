import { defineAgentFile, nameOfPath, readAgentFile, type Surroundings } from '@stopgo/agent-files';
import { type Defined, defineAgent, type FileAgent, type FileError } from '@stopgo/core';
import type { Blob } from '../git/blobs.ts';

/** What a file holds: an agent with its definition, errors, or neither. */
export type ReadFile = {
  readonly path: string;
  readonly agent?: FileAgent;
  /** The definition of the agent; there if `agent` is. */
  readonly defined?: Defined;
  readonly errors: readonly FileError[];
};

/** Of a description so many characters are recorded with the file, for lists; the definition has all of it. */
const descriptionCharactersMax = 300;
const tagsMax = 20;
const errorsPerFileMax = 10;
const messageCharactersMax = 500;

/** Reads the file at a path. Never throws, whatever it holds. */
export function readFile(path: string, blob: Blob, surroundings: Surroundings): ReadFile {
  // Of the others nobody knows whether they would be agents: a long README is none.
  if (blob.kind === 'too_large') return { path, errors: mustBeAgent(path) ? [tooLarge(blob.bytes)] : [] };
  const text = decoded(blob.bytes);
  if (text === undefined) return { path, errors: [fileError('size', 'the file is no text in UTF-8')] };
  const { agent, problems } = readAgentFile({ path, text });
  if (agent === undefined) {
    const errors = problems.slice(0, errorsPerFileMax).map(({ message, line, column = 0, kind }) => ({
      ...{ message: message.slice(0, messageCharactersMax), line, column, kind },
    }));
    return { path, errors };
  }
  const definition = defineAgentFile(agent, surroundings);
  const defined = defineAgent(definition);
  return {
    path,
    agent: {
      name: definition.name,
      digest: defined.digest,
      description: agent.description.slice(0, descriptionCharactersMax),
      version: agent.version ?? '',
      tags: agent.tags.slice(0, tagsMax),
    },
    defined,
    errors: [],
  };
}

/** An error that is about a file as a whole. */
export const fileError = (kind: string, message: string): FileError => ({ message, line: 0, column: 0, kind });

function mustBeAgent(path: string): boolean {
  const reading = nameOfPath(path);
  return reading.kind === 'problem' || (reading.kind === 'agent' && reading.place.isCertain);
}

function tooLarge(bytes: number | undefined): FileError {
  const size = bytes === undefined ? 'more bytes than are read' : `${bytes} bytes, more than are read`;
  return fileError('size', `the file has ${size} of an agent file; shorten it`);
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
