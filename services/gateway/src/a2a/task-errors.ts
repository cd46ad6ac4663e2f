import { A2AError, RequestMalformedError, TaskNotFoundError, UnsupportedOperationError } from '@stopgo/a2a-agent';
import { DomainError, visibleText } from '@stopgo/core';
import { ECHO_CHARACTERS_MAX } from '../bounds.ts';
import { type Problem, problemOf, type ReportInternal } from '../errors.ts';

/** The error for a task that is not there. */
export const taskNotFound = (id: string): A2AError =>
  new TaskNotFoundError(`Task not found: ${visibleText(id.slice(0, ECHO_CHARACTERS_MAX))}`);

/** What A2A has no error for: a service is away, or we are at fault. `status` and `headers` are for HTTP. */
export class ServiceError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(text: string, { status, headers }: Pick<Problem, 'status' | 'headers'>) {
    super(text);
    this.status = status;
    this.headers = headers;
  }
}

/** An error as A2A says it. Of what is a defect of ours the peer is told an id only. */
export function asA2AError(error: unknown, newId: () => string, report: ReportInternal): Error {
  if (error instanceof A2AError || error instanceof ServiceError) return error;
  const problem = problemOf(error, newId, report, true);
  const { body } = problem;
  const text = typeof body.error === 'string' ? body.error : 'the request failed';
  switch (error instanceof DomainError ? error.kind : undefined) {
    case 'invalid_argument':
      return new RequestMalformedError(text);
    case 'not_found':
      return new TaskNotFoundError(text);
    case 'failed_precondition':
      return new UnsupportedOperationError(text);
    default:
      return new ServiceError(text, problem);
  }
}
