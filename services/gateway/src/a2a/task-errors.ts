import { A2AError, RequestMalformedError, TaskNotFoundError, UnsupportedOperationError } from '@stopgo/a2a-agent';
import { ServiceError } from '@stopgo/a2a-agent/http';
import { DomainError } from '@stopgo/core';
import { problemOf, type ReportInternal } from '../errors.ts';

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
