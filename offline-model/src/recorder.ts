import type { IncomingHttpHeaders } from 'node:http';

/** How many requests are remembered; the oldest are forgotten first. */
const requestsRememberedMax = 10_000;

/** A request as it arrived. The body is parsed if it was JSON. */
export type RecordedRequest = {
  readonly index: number;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
};

/** Remembers the requests of the model APIs, for tests to look at. */
export type Recorder = {
  record(request: Omit<RecordedRequest, 'index'>): void;
  /** The requests from this index on; the first request ever has index 0. */
  since(index: number): readonly RecordedRequest[];
};

/** A recorder with nothing in it. */
export function createRecorder(): Recorder {
  let requests: RecordedRequest[] = [];
  let next = 0;
  return {
    record: (request) => {
      requests.push({ index: next, ...request });
      next += 1;
      // Dropping half at once keeps recording cheap.
      if (requests.length > requestsRememberedMax) requests = requests.slice(requestsRememberedMax / 2);
    },
    since: (index) => requests.filter((request) => request.index >= index),
  };
}
