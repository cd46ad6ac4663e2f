import type { Answer } from '../json-text.ts';

/** One operation as the documentation shows it. */
export type Endpoint = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly request?: {
    readonly content_type: string;
    readonly schema: { readonly [field: string]: Field };
    readonly example: Answer;
  };
  readonly responses: { readonly [code: string]: { readonly description: string; readonly example: Answer } };
};

/** One member of a request body. */
export type Field = { readonly type: string; readonly description: string; readonly required: boolean };

export const jsonType = 'application/json';

/** An error as every route answers it. */
export const errorExample = (error: string): Answer => ({ error });
