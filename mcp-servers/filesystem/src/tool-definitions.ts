import type { Tool } from '@modelcontextprotocol/server';
import { contextLinesMax, hashSecondsMax, results, resultsMax, searchSecondsMax } from './bounds.ts';
import type { ToolName } from './tool-names.ts';

// Every hint is said outright, because a client takes an absent one for the worst case. Files may hold what anybody wrote, so
// all of them are open-world.
const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true } as const;
const writes = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true } as const;

const text = (description: string) => ({ type: 'string', description }) as const;
const integer = (description: string, minimum = 0) => ({ type: 'integer', minimum, description }) as const;

const root = text('Name of the root; list_roots tells which there are');
const path = text('Path in the root, relative to it');
const both = {
  source_root: text('Name of the root to take from'),
  source_path: text('Path in that root'),
  dest_root: text('Name of the root to put into; may be the same'),
  dest_path: text('Path in that root'),
} as const;
const bounds = {
  max_results: integer(`Ends the search after so many matches (default ${results}, at most ${resultsMax})`, 1),
  timeout_seconds: integer(`Ends the search after so long (default and at most ${searchSecondsMax})`),
  max_depth: integer('How deep to search: 0 means the folder and the folders in it, 1 one level more', -1),
} as const;

/** The 15 tools as clients see them. */
export const tools: readonly (Tool & { readonly name: ToolName })[] = [
  {
    name: 'list_roots',
    description: 'List the roots (folders that can be worked in) by name, and which tools each allows. Call it first.',
    inputSchema: { type: 'object', properties: {} },
    annotations: reads,
  },
  {
    name: 'list_folder',
    description:
      'List what is in a folder, by name: files, directories and symlinks with size and time of the last change.',
    inputSchema: {
      type: 'object',
      properties: { root, path: text('Path of the folder in the root; "." is the root itself') },
      required: ['root', 'path'],
    },
    annotations: reads,
  },
  {
    name: 'read_file',
    description:
      'Read a file, whole or in part. A large file must be read in parts, by bytes or by lines, not by both. ' +
      '"size" in the answer is the size of the whole file in bytes.',
    inputSchema: {
      type: 'object',
      properties: {
        root,
        path,
        offset_bytes: integer('First byte to read, from 0'),
        limit_bytes: integer('How many bytes to read at most'),
        offset_lines: integer('First line to read, from 1'),
        limit_lines: integer('How many lines to read at most'),
      },
      required: ['root', 'path'],
    },
    annotations: reads,
  },
  {
    name: 'write_file',
    description: 'Write a file. Missing folders are made. A file is replaced whole or not at all.',
    inputSchema: {
      type: 'object',
      properties: {
        root,
        path,
        content: text('What to write; must not be empty'),
        mode: {
          type: 'string',
          enum: ['overwrite', 'append', 'create_only'],
          description: 'overwrite (default) replaces a file, append adds to its end, create_only fails if there is one',
        },
      },
      required: ['root', 'path', 'content'],
    },
    annotations: writes,
  },
  {
    name: 'remove_file',
    description: 'Remove a file. Of a symlink the link is removed, not what it leads to.',
    inputSchema: { type: 'object', properties: { root, path }, required: ['root', 'path'] },
    annotations: writes,
  },
  {
    name: 'patch_file',
    description:
      'Apply a unified diff (@@ hunks) to one file, all of its hunks or none. A missing file counts as empty and is made.',
    inputSchema: {
      type: 'object',
      properties: { root, path, patch: text('The unified diff') },
      required: ['root', 'path', 'patch'],
    },
    annotations: writes,
  },
  {
    name: 'create_folder',
    description: 'Make a folder, and the folders above it that are missing. Does nothing if it is there.',
    inputSchema: { type: 'object', properties: { root, path }, required: ['root', 'path'] },
    annotations: writes,
  },
  {
    name: 'remove_folder',
    description: 'Remove a folder and everything in it. The root itself cannot be removed.',
    inputSchema: { type: 'object', properties: { root, path }, required: ['root', 'path'] },
    annotations: writes,
  },
  {
    name: 'stat_file',
    description: 'Tell size, kind and times of a file or folder. A symlink is followed.',
    inputSchema: { type: 'object', properties: { root, path }, required: ['root', 'path'] },
    annotations: reads,
  },
  {
    name: 'hash_file',
    description: 'Compute the hash of the content of a file.',
    inputSchema: {
      type: 'object',
      properties: {
        root,
        path,
        algorithm: { type: 'string', enum: ['md5', 'sha1', 'sha256'], description: 'Which hash' },
        timeout_seconds: integer(`Fails if the file is not read by then (default and at most ${hashSecondsMax})`),
      },
      required: ['root', 'path', 'algorithm'],
    },
    annotations: reads,
  },
  {
    name: 'permissions_file',
    description: 'Tell owner, group and permissions of a file or folder. A symlink is followed.',
    inputSchema: { type: 'object', properties: { root, path }, required: ['root', 'path'] },
    annotations: reads,
  },
  {
    name: 'copy',
    description:
      'Copy a file, or a folder with everything in it, in a root or from one to another. A file that is there is replaced; ' +
      'into a folder that is there the copy goes under its own name. Missing folders are made.',
    inputSchema: { type: 'object', properties: both, required: Object.keys(both) },
    annotations: writes,
  },
  {
    name: 'move',
    description:
      'Move or rename a file or a folder, in a root or from one to another. A file that is there is replaced; into a folder ' +
      'that is there it goes under its own name. Missing folders are made.',
    inputSchema: { type: 'object', properties: both, required: Object.keys(both) },
    annotations: writes,
  },
  {
    name: 'grep',
    description:
      'Search the lines of text files for a regular expression (RE2 syntax). Binary files and symlinks are left out.',
    inputSchema: {
      type: 'object',
      properties: {
        root,
        pattern: text('RE2 regular expression that a line must contain a match of'),
        path: text('Folder or file to search (default: the root)'),
        glob_filter: text('Search only files of such a name, such as *.ts'),
        case_insensitive: { type: 'boolean', description: 'Take upper and lower case for the same (default false)' },
        context_lines: integer(`Lines to show before and after each match (default 0, at most ${contextLinesMax})`),
        ...bounds,
      },
      required: ['root', 'pattern'],
    },
    annotations: reads,
  },
  {
    name: 'glob',
    description: 'Find files and folders by name: by a glob, or by a regular expression (RE2 syntax), not by both.',
    inputSchema: {
      type: 'object',
      properties: {
        root,
        pattern: text('Glob such as *.ts (a name at any depth), src/*.ts or **/test/*.ts'),
        regex: text('RE2 regular expression that the path must contain a match of'),
        path: text('Folder to search, which paths are relative to (default: the root)'),
        type_filter: {
          type: 'string',
          enum: ['file', 'directory', 'symlink', 'all'],
          description: 'What to find (default all)',
        },
        ...bounds,
      },
      required: ['root'],
    },
    annotations: reads,
  },
];
