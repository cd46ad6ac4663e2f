import { isJSONRPCRequest, type JSONRPCMessage, type RequestId } from '@modelcontextprotocol/client';
import { type CallScope, callScope } from './call-scope.ts';

/**
 * Has the answer to a request of a call read with the scope of that call at hand: all calls share one pipe, and what comes out of it
 * belongs to none by itself.
 */
export class AnswerScopes {
  readonly #scopes = new Map<RequestId, CallScope>();

  /** To be told of each message before it is sent. */
  sent(message: JSONRPCMessage): void {
    const scope = callScope.getStore();
    if (scope !== undefined && isJSONRPCRequest(message)) this.#scopes.set(message.id, scope);
  }

  /** Reads a message that has come. */
  read(message: JSONRPCMessage, read: () => void): void {
    const id = 'method' in message ? undefined : message.id;
    const scope = id === undefined ? undefined : this.#scopes.get(id);
    if (id !== undefined) this.#scopes.delete(id);
    if (scope === undefined) read();
    else callScope.run(scope, read);
  }

  /** To be called when a call is over, whatever came of its requests. */
  forget(scope: CallScope): void {
    for (const [id, one] of this.#scopes) if (one === scope) this.#scopes.delete(id);
  }
}
