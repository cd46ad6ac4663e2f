import type { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { RunningServer } from './running-server.ts';
import { MESSAGE_BYTES_MAX } from './server.ts';

/**
 * Serves one client on this process's standard input and output, in either protocol era. It ends when the client
 * closes the input, stops reading, or sends a message beyond {@link MESSAGE_BYTES_MAX}.
 */
export function serveOverStdio(create: () => Server, report: (error: Error) => void): RunningServer {
  const transport = new ReportingTransport();
  const handle = serveStdio(create, { transport, onerror: report });
  return { address: '', ended: transport.ended, stop: () => handle.close() };
}

/** The library's transport, which tells when it closes: the handle of `serveStdio` does not. */
class ReportingTransport extends StdioServerTransport {
  readonly ended: Promise<void>;
  #settle: () => void = () => {};

  constructor() {
    super(undefined, undefined, { maxBufferSize: MESSAGE_BYTES_MAX });
    this.ended = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  override async close(): Promise<void> {
    await super.close();
    this.#settle();
  }
}
