import { type Client, isJSONRPCRequest, type RequestId, type Transport } from '@modelcontextprotocol/client';

const noticeMethod = 'notifications/cancelled';

/**
 * Asks a server to stop the call that is under way, and leaves the request open: the MCP client gives a request up as it
 * cancels it, and would throw away the answer of a server that had finished by then.
 */
export class CallCancel {
  /** Id of the call under way; calls of one connection run one at a time. */
  #callId: RequestId | undefined;
  /** Id of the request that the server was last told of. */
  #told: unknown;

  /** Puts itself between a client and its transport. To be called before the client connects. */
  attach(transport: Transport): void {
    const send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      if (isJSONRPCRequest(message)) {
        if (message.method === 'tools/call') this.#callId = message.id;
      } else if ('method' in message && message.method === noticeMethod) {
        const id = message.params?.requestId;
        // The client tells it again when it gives the request up.
        if (id === this.#told) return;
        this.#told = id;
      }
      await send(message, options);
    };
  }

  /** To be called before a call is made. */
  begin(): void {
    this.#callId = undefined;
  }

  /**
   * Tells the server. False if only giving the request up does: it was not sent yet, or each request has a stream of its
   * own, whose end is the sign (Streamable HTTP since protocol 2026-07-28). A notice that is lost is nobody's error: the
   * wait for the answer ends.
   */
  tell(client: Client): boolean {
    const id = this.#callId;
    const byStream = client.getProtocolEra() === 'modern' && client.transport?.hasPerRequestStream === true;
    if (id === undefined || byStream) return false;
    const reason = 'the call was canceled';
    client.notification({ method: noticeMethod, params: { requestId: id, reason } }).catch(() => undefined);
    return true;
  }
}
