import { type Client, isJSONRPCRequest, type RequestId, type Transport } from '@modelcontextprotocol/client';

const noticeMethod = 'notifications/cancelled';
/** Ids that are remembered: far more than there are calls at once. */
const toldMax = 1_024;

/**
 * Asks a server to stop a call that is under way, and leaves the request open: the MCP client gives a request up as it
 * cancels it, and would throw away the answer of a server that had finished by then.
 */
export class CallCancel {
  /** Ids of the requests of calls, by the arguments that they carry: the client tells nobody under which id it sends. */
  readonly #ids = new WeakMap<object, RequestId>();
  /** Arguments of calls that were sent more than once: each further time with answers to what the server asked. */
  readonly #repeated = new WeakSet<object>();
  /** Ids of the requests that the server was told of lately. */
  readonly #told = new Set<RequestId>();

  /** Puts itself between a client and its transport. To be called before the client connects. */
  attach(transport: Transport): void {
    const send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      if (isJSONRPCRequest(message)) {
        const args = message.method === 'tools/call' ? message.params?.arguments : undefined;
        if (typeof args === 'object' && args !== null) {
          if (this.#ids.has(args)) this.#repeated.add(args);
          this.#ids.set(args, message.id);
        }
      } else if ('method' in message && message.method === noticeMethod) {
        const id = message.params?.requestId;
        // The client tells it again when it gives the request up.
        if (isRequestId(id) && !this.#isFirst(id)) return;
      }
      await send(message, options);
    };
  }

  /** Whether the request with this id carries these very arguments. */
  isOf(id: RequestId, args: object): boolean {
    return this.#ids.get(args) === id;
  }

  /** Whether the call with these very arguments had been under way before it was last sent. */
  wasUnderWay(args: object): boolean {
    return this.#repeated.has(args);
  }

  /**
   * Tells the server to stop the call with these very arguments. False if only giving the request up does: it was not sent
   * yet, or each request has a stream of its own, whose end is the sign (Streamable HTTP since protocol 2026-07-28). A notice
   * that is lost is nobody's error: the wait for the answer ends.
   */
  tell(client: Client, args: object): boolean {
    const id = this.#ids.get(args);
    const byStream = client.getProtocolEra() === 'modern' && client.transport?.hasPerRequestStream === true;
    if (id === undefined || byStream) return false;
    const reason = 'the call was canceled';
    client.notification({ method: noticeMethod, params: { requestId: id, reason } }).catch(() => undefined);
    return true;
  }

  #isFirst(id: RequestId): boolean {
    if (this.#told.has(id)) return false;
    this.#told.add(id);
    const [oldest] = this.#told;
    if (this.#told.size > toldMax && oldest !== undefined) this.#told.delete(oldest);
    return true;
  }
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || typeof id === 'number';
}
