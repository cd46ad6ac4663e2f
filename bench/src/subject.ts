import { readFileSync } from 'node:fs';
import { treeOf } from './process-tree.ts';

/** What is measured: something that answers the client's requests, with all its processes. */
export type Subject = {
  readonly address: string;
  /** Milliseconds from its start until it was ready. */
  readonly readyMs: number;
  /** Its processes without tool servers: the one process, or all services with launcher and nats-server. */
  own(): readonly number[];
  /** All of its processes. */
  tree(): readonly number[];
  /** Ends it and removes its data. */
  remove(): Promise<void>;
};

/** The program of each tool server that the bench has. */
const toolProgram = /\/bench\/src\/tool\.mjs$/;

/** The processes of a subject that began with this one. */
export function processesOf(root: number): Pick<Subject, 'own' | 'tree'> {
  const tree = (): readonly number[] => treeOf(root);
  return { tree, own: () => tree().filter((pid) => !isToolServer(pid)) };
}

function isToolServer(pid: number): boolean {
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  return words.some((word) => toolProgram.test(word));
}
