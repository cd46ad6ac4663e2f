import { describeError, type LogFields } from '../logging/fields.ts';
import type { Logger } from '../logging/logger.ts';
import { escapeUnprintable } from '../logging/printable.ts';
import { messageOf, type Started } from './started.ts';

/** How long a graceful stop may take before the process gives up on it. */
export const stopDeadlineMsDefault = 10_000;

/**
 * The same signal again within this time is an echo, not a second wish: on Ctrl-C a terminal signals the whole process
 * group, and `npm` passes its own copy on.
 */
const signalEchoMs = 300;

const exitOk = 0;
const exitFailed = 1;
/** A process ended by a signal exits with this plus the signal's number. */
const exitSignalBase = 128;
const signalNumbers = { SIGINT: 2, SIGTERM: 15 } as const;
type StopSignal = keyof typeof signalNumbers;

export type RunProcessOptions = {
  /** What is started, as the log should call it. */
  readonly name: string;
  /**
   * Starts everything; when it throws, it has already stopped what it had started. The signal aborts when the process is
   * asked to end meanwhile: whoever waits for something may then throw its reason, which is no failure.
   */
  readonly start: (stopping: AbortSignal) => Promise<Started>;
  readonly logger: Logger;
  /** The process to watch and to end: `process`, given by `main.ts`. */
  readonly process: NodeJS.Process;
  /** How long a graceful stop may take, in milliseconds. */
  readonly stopDeadlineMs?: number;
  /**
   * Tells why the start failed, in one line without a line end; the default writes it to the error output. Whoever
   * registered secrets passes a function that takes them out.
   */
  readonly printFailure?: (line: string) => void;
  /** True for an error that a library is known to leave unhandled and that nothing follows from: the process goes on. */
  readonly isHarmless?: (error: unknown) => boolean;
};

/**
 * Runs a service as a process: starts it, waits for SIGINT or SIGTERM, stops it gracefully, exits.
 *
 * Exit codes: 0 after a clean stop; 1 when the start failed, the stop failed or took longer than the deadline, or an
 * error was caught by nobody; 130 or 143 at once on a second signal (an echo of
 * the first one does not count). A signal during the start stops the service as
 * soon as it has started, or has given up starting. A parent that started the process with a channel and goes away is as good as a signal: nobody
 * would end the process otherwise. A closed output (`stopgo start | head`) does not end the process.
 */
export async function runProcess(options: RunProcessOptions): Promise<void> {
  const { name, logger, process: host, stopDeadlineMs = stopDeadlineMsDefault } = options;
  const printFailure = options.printFailure ?? ((line: string) => void host.stderr.write(`${line}\n`));
  const asked = deferred();
  const stopping = new AbortController();
  let first: { readonly signal: StopSignal; readonly at: number } | undefined;

  for (const signal of Object.keys(signalNumbers) as StopSignal[]) {
    host.on(signal, () => {
      if (first !== undefined) {
        const isEcho = first.signal === signal && performance.now() - first.at < signalEchoMs;
        if (!isEcho) host.exit(exitSignalBase + signalNumbers[signal]);
        return;
      }
      first = { signal, at: performance.now() };
      stop({ signal });
    });
  }
  const stop = (why: LogFields): void => {
    if (stopping.signal.aborted) return;
    logger.info('Shutting down server...', why);
    setTimeout(() => {
      logger.error(`${name} did not stop within ${stopDeadlineMs} ms; giving up`);
      host.exit(exitFailed);
    }, stopDeadlineMs);
    stopping.abort();
    asked.resolve();
  };
  host.once('disconnect', () => stop({ reason: 'the process that started this one has gone' }));
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    host.on(event, (error: unknown) => {
      if (options.isHarmless?.(error) === true) {
        logger.warn(`${name}: a library left an error unhandled; going on`, { error: describeError(error) });
        return;
      }
      logger.error(`${name}: nobody handled an error (${event}); exiting`, { error: describeError(error) });
      host.exit(exitFailed);
    });
  }
  for (const output of [host.stdout, host.stderr]) output.on('error', ignoreClosedPipe);

  let started: Started;
  try {
    started = await options.start(stopping.signal);
  } catch (error) {
    if (stopping.signal.aborted && error === stopping.signal.reason) {
      host.exit(exitOk);
      return;
    }
    printFailure(`Failed to start ${name}: ${escapeUnprintable(messageOf(error))}`);
    logger.debug('start failed', { error: describeError(error) });
    host.exit(exitFailed);
    return;
  }
  await asked.promise;
  try {
    await started.stop();
    logger.debug(`${name} stopped`);
    host.exit(exitOk);
  } catch (error) {
    logger.error(`${name} did not stop cleanly: ${messageOf(error)}`, { error: describeError(error) });
    host.exit(exitFailed);
  }
}

function deferred(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: () => resolve() };
}

/** Whoever read our output has gone; there is nobody left to tell. Other errors of an output stay errors. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
