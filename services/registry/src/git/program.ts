import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { secretFilter } from '@stopgo/security';
import type { Access } from './access.ts';
import { GitFailure, gitFailureOf } from './git-failure.ts';

/** One run of git. */
export type GitRun = {
  readonly args: readonly string[];
  /** The bare repository that it works on. */
  readonly gitDir?: string;
  /** Written to its standard input. */
  readonly input?: string;
  /** Without it git reaches no other repository, not even for an object that is missing. */
  readonly access?: Access;
  /** Longest time, in milliseconds. */
  readonly timeMs: number;
  /** Most bytes of standard output. */
  readonly outputBytesMax: number;
  /** Most bytes of a file that it writes; no bound without it. */
  readonly fileBytesMax?: number;
  readonly signal: AbortSignal;
};

/** Of the error output the last bytes are kept. */
const errorBytesMax = 16_384;
/** What reaching others may need of our environment: proxies, and whose certificates are trusted. */
const inherited = /^(?:PATH|(?:https?|all|no)_proxy|GIT_SSL_CAINFO|GIT_SSL_CAPATH|SSL_CERT_FILE|SSL_CERT_DIR)$/iu;
/** Settings of every run: nothing that a repository, a user or a system brings along may start a program or leave the mirror. */
const settings = [
  'protocol.allow=never',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'core.askPass=',
  'core.symlinks=false',
  'core.protectNTFS=true',
  'core.protectHFS=true',
  'core.bigFileThreshold=1m',
  'fetch.recurseSubmodules=false',
  'fetch.writeCommitGraph=false',
  'submodule.recurse=false',
  'transfer.fsckObjects=true',
  'transfer.bundleURI=false',
  'fetch.fsckObjects=true',
  'gc.auto=0',
  'maintenance.auto=false',
  'http.followRedirects=false',
  'http.lowSpeedLimit=1000',
  'http.lowSpeedTime=60',
  'pack.threads=1',
  'log.showSignature=false',
];

/** The program git of this machine, run so that nothing but its arguments decides what it does. */
export class GitProgram {
  readonly #program: string;
  readonly #env: NodeJS.ProcessEnv;

  /** `program`: found in PATH unless it is a path. Of the environment only what reaching others needs is passed on. */
  constructor(program: string, env: Readonly<Record<string, string | undefined>>) {
    this.#program = program;
    this.#env = Object.fromEntries(Object.entries(env).filter(([name]) => inherited.test(name)));
  }

  /** What git writes, whole. @throws GitFailure; the signal's reason when it aborts. */
  async run(options: GitRun): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.stream(options)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /**
   * What git writes, as it comes. Whoever stops reading before the end ends the program, and everything that it started.
   *
   * @throws GitFailure; the signal's reason when it aborts.
   */
  async *stream(options: GitRun): AsyncGenerator<Buffer, void, undefined> {
    const { signal, timeMs, outputBytesMax } = options;
    signal.throwIfAborted();
    const child = this.#spawn(options);
    const ended = endOf(child);
    let stopped: unknown;
    const stop = (reason: unknown) => {
      stopped ??= reason;
      kill(child);
    };
    const timer = setTimeout(
      () => stop(new GitFailure('too_slow', `git took longer than ${Math.round(timeMs / 1_000)} s and was ended`)),
      timeMs,
    );
    const onAbort = () => stop(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const errors = tailOf(child.stderr as Readable);
    let bytes = 0;
    try {
      for await (const piece of child.stdout as Readable) {
        bytes += (piece as Buffer).length;
        if (bytes > outputBytesMax) {
          stop(new GitFailure('too_large', `git wrote more than ${outputBytesMax} bytes, and was ended`));
          break;
        }
        yield piece as Buffer;
      }
      const end = await ended;
      if (stopped !== undefined) throw stopped;
      const { hide } = secretFilter(options.access?.hidden ?? [], { charactersMin: 1 });
      checkEnd(end, hide(errors()), options, this.#program);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      kill(child);
      await ended;
    }
  }

  #spawn({ args, gitDir, input, access, fileBytesMax }: GitRun): ChildProcess {
    const config = [...settings, ...(access?.config ?? [])].flatMap((setting) => ['-c', setting]);
    const git = [this.#program, ...config, ...(gitDir === undefined ? [] : [`--git-dir=${gitDir}`]), ...args];
    // A shell sets the bound, in blocks of 512 bytes, and becomes git.
    const limited =
      fileBytesMax === undefined
        ? git
        : ['/bin/sh', '-c', `ulimit -c 0; ulimit -f ${Math.ceil(fileBytesMax / 512)} && exec "$@"`, 'sh', ...git];
    const child = spawn(limited[0] as string, limited.slice(1), {
      cwd: gitDir ?? '/',
      env: { ...this.#env, ...hardened, ...access?.env, GIT_ALLOW_PROTOCOL: access?.protocol ?? 'none' },
      // A group of its own, so that what git starts ends with it.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', ...(access?.secret === undefined ? [] : (['pipe'] as const))],
    });
    giveTo(child.stdin as Writable, input ?? '');
    if (access?.secret !== undefined) giveTo(child.stdio[3] as Writable, access.secret);
    return child;
  }
}

const hardened = {
  LC_ALL: 'C',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_CEILING_DIRECTORIES: '/',
};

type End = { readonly code: number | null; readonly killedBy: NodeJS.Signals | null; readonly error?: Error };

function endOf(child: ChildProcess): Promise<End> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, killedBy: null, error }));
    child.once('close', (code, killedBy) => resolve({ code, killedBy }));
  });
}

function checkEnd({ code, killedBy, error }: End, errors: string, { fileBytesMax }: GitRun, program: string): void {
  if (code === 0) return;
  const isMissing = (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
  if (isMissing || (code === 127 && errors.includes('not found')))
    throw new GitFailure(
      'missing',
      `the program ${program} is not there; install git, it keeps the mirrors of agent repositories`,
    );
  if (error !== undefined) throw new GitFailure('other', `the program ${program} cannot be started: ${error.message}`);
  const isFileTooLarge = killedBy === 'SIGXFSZ' || /file size limit|file too large|signal 25/iu.test(errors);
  if (fileBytesMax !== undefined && isFileTooLarge)
    throw new GitFailure('too_large', `the repository is larger than ${Math.round(fileBytesMax / 1_048_576)} MiB`);
  if (killedBy !== null) throw new GitFailure('other', `git was ended by ${killedBy}`);
  throw gitFailureOf(errors);
}

/** Ends the program and everything that it started. */
function kill(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has ended.
  }
}

/** Whoever ends before it has read all is told so by its own end. */
function giveTo(stream: Writable, text: string): void {
  stream.on('error', () => undefined);
  stream.end(text);
}

function tailOf(stream: Readable): () => string {
  let kept = Buffer.alloc(0);
  stream.on('data', (piece: Buffer) => {
    const whole = Buffer.concat([kept, piece]);
    kept = Buffer.from(whole.subarray(Math.max(0, whole.length - errorBytesMax)));
  });
  return () => kept.toString('utf8');
}
