import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { RunningServer } from './running-server.ts';
import type { ToolServerFactory } from './tool-server.ts';

export interface StdioOptions {
  /** Largest message of the client, in bytes. */
  readonly messageBytesMax: number;
  /** Is told what went wrong outside of a call. */
  readonly report: (error: Error) => void;
}

/**
 * Serves one client on this process's standard input and output, in either protocol era. It ends when the client
 * closes the input, stops reading, or sends a message of more than `messageBytesMax` bytes.
 */
export function serveOverStdio(create: ToolServerFactory, options: StdioOptions): RunningServer {
  const transport = new ReportingTransport(options.messageBytesMax);
  const handle = serveStdio(create, { transport, onerror: options.report });
  return { address: '', ended: transport.ended, stop: () => handle.close() };
}

/** The library's transport, which tells when it closes: the handle of `serveStdio` does not. */
class ReportingTransport extends StdioServerTransport {
  readonly ended: Promise<void>;
  #settle: () => void = () => {};

  constructor(messageBytesMax: number) {
    super(undefined, undefined, { maxBufferSize: messageBytesMax });
    this.ended = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  override async close(): Promise<void> {
    await super.close();
    this.#settle();
  }
}
