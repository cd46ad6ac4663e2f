import { randomUUID } from 'node:crypto';
import { DomainError, internalError } from '@stopgo/core';
import { domainErrorOf, wireErrorOf } from './wire-error.ts';

/**
 * Where the exceptions go that no caller may see: the original, the id that the caller was told, and the method.
 * Must not throw. The error may hold anything, secrets too: log it with care.
 */
export type OnInternalError = (error: unknown, id: string, method: string) => void;

/** Used where no hook is given: says that there was an error, and nothing of what it holds. */
export const warnOfInternalError: OnInternalError = (error, id, method) => {
  const name = error instanceof Error ? error.name : typeof error;
  process.emitWarning(`${method}: internal error ${id} (${name}); set onInternalError to see it`);
};

/**
 * What the caller of a service gets to see of `error`: a DomainError as the wire carries it, else kind `internal` with
 * an id, and the original goes to the hook.
 */
export function errorForCaller(error: unknown, path: string, onInternalError: OnInternalError): DomainError {
  if (!(error instanceof DomainError)) return report(error, path, onInternalError);
  try {
    return domainErrorOf(wireErrorOf(error));
  } catch (defect) {
    // Details that JSON cannot hold, which types prevent. The caller must get an answer all the same.
    return report(defect, path, onInternalError);
  }
}

/** Reports an error that no caller waits for any more, unless it is the expected end of a canceled call. */
export function reportLate(error: unknown, path: string, onInternalError: OnInternalError): void {
  if (error instanceof DomainError || isAbort(error)) return;
  report(error, path, onInternalError);
}

function report(error: unknown, path: string, onInternalError: OnInternalError): DomainError {
  const id = randomUUID();
  try {
    onInternalError(error, id, path);
  } catch {
    // The hook's own failure must not change what the caller sees, and there is nobody else to tell.
  }
  return internalError(`${path}: internal error ${id}; the log of the service has the cause`, { error_id: id });
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';
