import type { Implementation, JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/** What a server answers that does not speak the revision which it was asked in, by the protocol. */
const unsupportedProtocolVersion = -32_022;
const id = 'stopgo-era-doubt';

/** How a server that is silent is asked whether it speaks the newer protocol. */
export type EraDoubtOptions = {
  readonly transport: Transport;
  readonly clientInfo: Implementation;
  /** The newest revision that we speak. */
  readonly revision: string;
  /** How long the server may be silent before it is asked, in milliseconds. */
  readonly afterMs: number;
};

/**
 * For a server that is remembered to speak the older protocol, and is greeted in it at once. If it stays silent it may speak only the newer
 * one by now: after a while it is asked for that, too. `spoken` rejects if it does; it never settles otherwise.
 */
export function eraDoubt({ transport, clientInfo, revision, afterMs }: EraDoubtOptions): {
  readonly spoken: Promise<never>;
  readonly came: (message: JSONRPCMessage) => void;
  readonly end: () => void;
} {
  let speaks: (error: Error) => void = () => undefined;
  const spoken = new Promise<never>((_, reject) => {
    speaks = reject;
  });
  spoken.catch(() => undefined);
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const ask = () =>
    transport.send({ jsonrpc: '2.0', id, method: 'server/discover', params: { _meta: meta } }).catch(() => undefined);
  const timer = setTimeout(() => void ask(), afterMs).unref();
  return {
    spoken,
    came: (message) => {
      if (!('id' in message) || message.id !== id) return;
      const isModern =
        ('result' in message && Array.isArray(message.result.supportedVersions)) ||
        ('error' in message && message.error.code === unsupportedProtocolVersion);
      if (isModern) speaks(new Error('it speaks the newer protocol only'));
    },
    end: () => clearTimeout(timer),
  };
}
