import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { unavailable } from '@stopgo/core';
import { commitThreadMemoryMb } from '../../bounds.ts';
import { driverFailure, type SqlValue } from './database.ts';
import type { FilePlace } from './place-of-file.ts';
import type { RecordedWrite } from './recorded-writes.ts';

/**
 * The program of the thread, as text: so it is the same whether this package runs from its sources, where a thread would need a loader
 * for TypeScript, or as built. It imports nothing of ours.
 *
 * 1. It answers once the transaction is on disk, or taken back.
 * 2. A statement is prepared once, and anew after an error: see `database.ts`.
 */
export const threadProgram = `
const { statSync } = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');
const Database = require(workerData.driver);
// The file may have been moved or replaced since: it is not to be made anew, nor is another one to be written.
const isThere = () => {
  const { dev, ino } = statSync(workerData.file);
  return dev === workerData.place.dev && ino === workerData.place.ino;
};
if (!isThere()) throw new Error('the file is not where it was');
const database = new Database(workerData.file);
if (!isThere()) throw new Error('the file is not where it was');
for (const setting of workerData.settings) database.exec('PRAGMA ' + setting);
const texts = [];
let prepared = [];

function make({ statements, values, sizes, bytes }) {
  let value = 0, blob = 0, at = 0;
  for (const [statement, count] of statements) {
    const given = values.slice(value, value + count);
    value += count;
    for (let index = 0; index < count; index++) {
      if (given[index] !== undefined) continue;
      const size = sizes[blob++];
      given[index] = Buffer.from(bytes, at, size);
      at += size;
    }
    (prepared[statement] ??= database.prepare(texts[statement])).run(given);
  }
}

function takeBack() {
  prepared = [];
  try {
    if (database.inTransaction) database.exec('ROLLBACK');
  } catch {}
}

function moveLog() {
  try {
    const { log, checkpointed } = database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
    parentPort.postMessage({ log: { pages: log, isMoved: log === checkpointed } });
  } catch {
    parentPort.postMessage({ log: { pages: 0, isMoved: false } });
  }
}

parentPort.on('message', (job) => {
  if (job === 'close') {
    database.close();
    parentPort.close();
    return;
  }
  if (job === 'move') return moveLog();
  try {
    texts.push(...job.texts);
    database.exec('BEGIN IMMEDIATE');
    make(job);
    database.exec('COMMIT');
    parentPort.postMessage({});
  } catch (error) {
    takeBack();
    parentPort.postMessage({ failure: { code: error.code, message: String(error.message) } });
  }
});
`;

const driver = createRequire(import.meta.url).resolve('libsql');

/** SQLite's log of a file: its pages, and whether all of them are in the file itself, so that it can be begun anew. */
export type WrittenLog = { readonly pages: number; readonly isMoved: boolean };

const nothingMoved: WrittenLog = { pages: 0, isMoved: false };

type Answer = {
  readonly failure?: { readonly code: string | undefined; readonly message: string };
  readonly log?: WrittenLog;
};

/** What is handed to the thread: the bytes of all values lie in one piece, which is not copied. */
type Job = {
  readonly texts: readonly string[];
  readonly statements: readonly (readonly [statement: number, values: number])[];
  /** Undefined: the next of the bytes. */
  readonly values: readonly (string | number | null | undefined)[];
  readonly sizes: readonly number[];
  readonly bytes: ArrayBuffer;
};

/** A thread with a connection of its own that makes transactions, one at a time, so that the process does not wait for the disk. */
export class CommitThread {
  readonly #worker: Worker;
  readonly #statements = new Map<string, number>();
  #tellLog: ((log: WrittenLog) => void) | undefined;
  readonly #exited: Promise<void>;
  #settle: ((failure: unknown) => void) | undefined;
  #ended: unknown;

  /**
   * `place`: where the file was when it was opened first. `settings`: of the connection, as PRAGMA takes them. `program`: what it runs
   * ({@link threadProgram}). Throws if no thread can be had.
   */
  constructor(file: string, place: FilePlace, settings: readonly string[], program = threadProgram) {
    // Nothing of this process is handed on: no environment, no loaders, no options.
    this.#worker = new Worker(program, {
      eval: true,
      workerData: { driver, file, place, settings },
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: commitThreadMemoryMb },
    });
    this.#worker.unref();
    this.#worker.on('message', (answer: Answer) => this.#heard(answer));
    this.#worker.on('error', (error) => this.#end(error));
    this.#exited = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#end(new Error('it has ended'));
        resolve();
      });
    });
  }

  /** Whether it can take another transaction. */
  get isAlive(): boolean {
    return this.#ended === undefined;
  }

  /** Why it has ended; undefined while it is alive. */
  get ended(): unknown {
    return this.#ended;
  }

  /**
   * Makes the writes, all or none, on disk once it resolves; gives how many bytes there were. Not while another transaction is under
   * way. Rejects as {@link SqlDatabase} fails; with `unavailable` if the thread ended in the midst of it, when nobody knows what came
   * of it.
   */
  async make(writes: readonly RecordedWrite[]): Promise<{ readonly bytes: number }> {
    if (this.#ended !== undefined) throw threadEnded(this.#ended);
    const job = this.#jobOf(writes);
    const bytes = job.bytes.byteLength;
    this.#worker.ref();
    try {
      await new Promise<void>((resolve, reject) => {
        this.#settle = (failure) => (failure === undefined ? resolve() : reject(failure));
        this.#worker.postMessage(job, [job.bytes]);
      });
      return { bytes };
    } finally {
      this.#worker.unref();
    }
  }

  /** Moves what is committed from SQLite's log into the file itself. Not while a transaction is under way. Never rejects. */
  async moveLog(): Promise<WrittenLog> {
    if (!this.isAlive) return nothingMoved;
    this.#worker.ref();
    try {
      return await new Promise((resolve) => {
        this.#tellLog = resolve;
        this.#worker.postMessage('move');
      });
    } finally {
      this.#worker.unref();
    }
  }

  /** Lets go of the file, and ends. Not while the log is being moved. */
  async close(): Promise<void> {
    this.#worker.ref();
    if (this.isAlive) this.#worker.postMessage('close');
    await this.#exited;
  }

  #jobOf(writes: readonly RecordedWrite[]): Job {
    const texts: string[] = [];
    const values: Job['values'][number][] = [];
    const blobs: Uint8Array[] = [];
    const statements = writes.map(({ sql, values: given }) => {
      for (const value of given) values.push(isBytes(value, blobs) ? undefined : value);
      return [this.#numberOf(sql, texts), given.length] as const;
    });
    const sizes = blobs.map((blob) => blob.byteLength);
    const bytes = new Uint8Array(sizes.reduce((sum, size) => sum + size, 0));
    let at = 0;
    for (const blob of blobs) {
      bytes.set(blob, at);
      at += blob.byteLength;
    }
    return { texts, statements, values, sizes, bytes: bytes.buffer };
  }

  #numberOf(sql: string, texts: string[]): number {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const number = this.#statements.size;
    this.#statements.set(sql, number);
    texts.push(sql);
    return number;
  }

  #heard({ failure, log }: Answer): void {
    if (log !== undefined) {
      this.#tellLog?.(log);
      return;
    }
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(failure && driverFailure(failure.message, failure.code));
  }

  #end(cause: unknown): void {
    this.#ended ??= cause;
    this.#tellLog?.(nothingMoved);
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(threadEnded(this.#ended));
  }
}

function isBytes(value: SqlValue, blobs: Uint8Array[]): value is Uint8Array {
  if (!(value instanceof Uint8Array)) return false;
  blobs.push(value);
  return true;
}

const threadEnded = (cause: unknown) =>
  unavailable('the thread that writes the event log ended; repeat with the same idempotency key', {}, { cause });
