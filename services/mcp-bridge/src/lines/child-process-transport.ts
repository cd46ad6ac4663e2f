import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { NotSent } from '../failures.ts';
import type { AnswerScopes } from '../questions/answer-scopes.ts';
import { type LineBounds, LineReader, type SkippedLine } from './line-reader.ts';
import type { StderrTail } from './stderr-tail.ts';

/** What is started, and within which bounds. */
export type ChildProcessOptions = LineBounds & {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly endGraceMs: number;
  /** Messages that may wait for the process to read. */
  readonly sendsWaitingMax: number;
  readonly stderr: StderrTail;
  /** Follows calls through the pipe; absent: nobody needs to know which call an answer belongs to. */
  readonly scopes?: AnswerScopes | undefined;
  /** A message beyond the bound came and was skipped. */
  readonly onOversize: (line: SkippedLine) => void;
  /** A line came on its standard output that is no message of the protocol. */
  readonly onJunk: (line: string) => void;
};

/** How long output that a server wrote before it ended may take to arrive, in milliseconds. */
const lastOutputMs = 500;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * Newline-delimited JSON-RPC with a child process in a process group of its own, so that ending it ends its helpers too
 * (a server behind `npx` or a shell is a grandchild). It ends when its input closes, which also happens when we are
 * killed; if it does not, SIGTERM and SIGKILL follow.
 *
 * `pid` and `stderr` are how the MCP client recognises a stdio transport.
 */
export class ChildProcessTransport implements Transport {
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  onmessage?: Transport['onmessage'];
  readonly stderr = null;
  readonly #options: ChildProcessOptions;
  #child: Child | undefined;
  #ended: Promise<void> = Promise.resolve();
  #end: string | undefined;
  #closed = false;
  /** While its input is full: settles when it reads again, or never will. */
  #drained: Promise<void> | undefined;
  #sendsWaiting = 0;
  /** Why we ended it ourselves. */
  #givenUp: string | undefined;

  constructor(options: ChildProcessOptions) {
    this.#options = options;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** How the process ended; undefined while it runs or never did. */
  get end(): string | undefined {
    return this.#end;
  }

  async start(): Promise<void> {
    if (this.#closed) throw new Error('the connection has been closed');
    const { command, args, env } = this.#options;
    const child = spawn(command, [...args], {
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      shell: false,
      detached: true,
      windowsHide: true,
    });
    // Known before it has started, so that whoever closes the transport meanwhile ends it.
    this.#child = child;
    this.#listen(child);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error: NodeJS.ErrnoException) => reject(new Error(startProblem(command, error))));
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin === undefined || !stdin.writable || this.#end !== undefined) throw new NotSent('its process has ended');
    this.#options.scopes?.sent(message);
    if (stdin.write(serializeMessage(message))) return;
    this.#sendsWaiting += 1;
    // One that asks without end and does not read what we answer would fill our memory with answers.
    if (this.#sendsWaiting > this.#options.sendsWaitingMax) this.#giveUp('its process does not read its input');
    this.#drained ??= drained(stdin).finally(() => {
      this.#drained = undefined;
      this.#sendsWaiting = 0;
    });
    await this.#drained;
  }

  /** Ends the process and its group; throws if even SIGKILL does not. */
  async close(): Promise<void> {
    this.#closed = true;
    const child = this.#child;
    if (child?.pid === undefined) return;
    child.stdin.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await this.#endsWithin(this.#options.endGraceMs)) return;
      signalGroup(child, signal);
    }
    if (await this.#endsWithin(this.#options.endGraceMs)) return;
    throw new Error(`process ${child.pid} did not end, not even by SIGKILL; end it by hand`);
  }

  #giveUp(reason: string): void {
    this.#givenUp ??= reason;
    const child = this.#child;
    child?.stdout.pause();
    if (child !== undefined) signalGroup(child, 'SIGKILL');
  }

  #listen(child: Child): void {
    const reader = new LineReader(this.#options, (line) => this.#receive(line), this.#options.onOversize);
    child.stdout.on('data', (chunk: Buffer) => reader.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => this.#options.stderr.push(chunk));
    // A broken pipe: the end of the process tells the same with its reason.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
    child.on('error', (error) => this.onerror?.(error));

    const closed = new Promise<void>((resolve) => {
      child.once('close', () => resolve());
    });
    this.#ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        signalGroup(child, 'SIGKILL');
        const late = setTimeout(finish, lastOutputMs);
        void closed.then(finish);
        const transport = this;
        function finish(): void {
          clearTimeout(late);
          if (transport.#end !== undefined) return;
          const how = signal === null ? `its process exited with code ${code}` : `its process was ended by ${signal}`;
          transport.#end = transport.#givenUp ?? how;
          for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
          resolve();
          transport.onclose?.();
        }
      });
    });
  }

  #receive(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      this.#options.onJunk(line);
      return;
    }
    const { scopes } = this.#options;
    if (scopes === undefined) this.onmessage?.(message);
    else scopes.read(message, () => this.onmessage?.(message));
  }

  async #endsWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), ms);
    });
    const inTime = await Promise.race([this.#ended.then(() => true), late]);
    clearTimeout(timer);
    return inTime;
  }
}

/** Settles when a stream takes more, or is closed. */
async function drained(stream: Writable): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
  });
}

/** Signals every process of the child's group; none left is fine. */
function signalGroup(child: Child, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // No such group: all of it has ended.
  }
}

function startProblem(command: string, error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return `cannot start "${command}": no such command; install it or give its full path`;
  if (error.code === 'EACCES') return `cannot start "${command}": not allowed; make the file executable`;
  return `cannot start "${command}": ${error.code ?? error.message}`;
}
