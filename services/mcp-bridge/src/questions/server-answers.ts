import type { Client, ClientCapabilities } from '@modelcontextprotocol/client';
import type { McpServerConfig } from '@stopgo/runtime';

/** What is declared to servers that they may ask of us, and who answers it. */
export type ServerAnswers = {
  readonly capabilities: ClientCapabilities;
  /** Puts the answers to the requests of the declared kinds into a client that connects. */
  readonly register: (client: Client, server: McpServerConfig) => void;
};
