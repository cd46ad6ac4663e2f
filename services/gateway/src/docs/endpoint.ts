import type { z } from 'zod';
import type { Answer } from '../json-text.ts';

/** One operation of the REST surface: what is asked, and all that may be answered. */
export type Endpoint = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** True: nobody signs in for it. */
  readonly isOpen?: true;
  /** Parameters after the `?`. */
  readonly query?: z.ZodObject;
  /** Headers of a request that mean something here. */
  readonly headers?: readonly HeaderName[];
  readonly request?: {
    readonly content_type: string;
    readonly schema: z.ZodObject;
    readonly example: Answer;
  };
  readonly responses: { readonly [code: string]: DescribedAnswer };
};

/** One answer. */
export type DescribedAnswer = {
  readonly description: string;
  readonly example: Answer;
  /** What it holds; absent: an error, or nothing if `content_type` is so. */
  readonly schema?: z.ZodType;
  /** `application/json` unless said otherwise; null: there is no body. */
  readonly content_type?: string | null;
  /** Of an event stream: the data of its events, by name; `*` is any other. */
  readonly events?: { readonly [name: string]: z.ZodType };
};

export type HeaderName = keyof typeof headerTexts;

/** What headers of requests mean. */
export const headerTexts = {
  'Idempotency-Key':
    '16 to 128 visible ASCII characters of your own. A repeat of the request with the same key takes effect once, and is answered alike.',
  Prefer:
    'respond-async: answer at once; wait=SECONDS: wait no longer than that for the run; return=minimal: leave the messages out.',
  'X-Session-ID': 'A session of your own, [A-Za-z0-9._:-]{1,128}. Each answer names its session.',
  'X-Approver': 'The name of who acts, 1 to 128 printable characters. Where people sign in it is a claim beside that.',
  'Last-Event-ID': 'The id of the last event that you have: the stream goes on after it.',
  'If-Match': 'The ETag of an answer: it is changed only if it has not been changed since.',
  'If-None-Match': 'An ETag that you have; with PUT, *: nothing may be there yet.',
} as const;

export const jsonType = 'application/json';
export const eventStreamType = 'text/event-stream';

/** An error as every route answers it. */
export const errorExample = (error: string): Answer => ({ error });
