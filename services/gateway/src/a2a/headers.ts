import { approverNamed } from '../actor.ts';
import { checkedKey } from '../idempotency.ts';
import type { A2ACall } from './call.ts';

/** What the headers of a request say besides what A2A itself has for them. */
export type SaidHeaders = Pick<A2ACall, 'idempotencyKey' | 'after' | 'approver' | 'unreadable'>;

/**
 * What the headers of a request say, over HTTP or gRPC. What is wrong with them its own dialect has to tell, and so each
 * operation does.
 */
export function headersOf(header: (name: string) => string | undefined, after: () => number | undefined): SaidHeaders {
  try {
    return {
      idempotencyKey: checkedKey(header('idempotency-key')),
      after: after(),
      approver: approverNamed(header('x-approver')),
    };
  } catch (error) {
    return { idempotencyKey: undefined, after: undefined, approver: undefined, unreadable: error };
  }
}
