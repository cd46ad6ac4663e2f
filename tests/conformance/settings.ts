import { parseArgs } from 'node:util';

/** How the agent is started. */
export type Settings = {
  /** The handler of the gateway over the services, or an agent of the library. */
  readonly over: 'services' | 'library';
  readonly port: number;
  readonly grpcPort: number;
  readonly streaming: boolean;
  readonly push: boolean;
  readonly extendedCard: boolean;
  readonly requiredExtension: boolean;
};

/** The extension that the kit knows to be required. */
export const REQUIRED_EXTENSION = 'urn:a2a:tck:required-extension';

export const USAGE = `usage: npm run conformance-agent -- [--over services|library] [--port N] [--grpc-port N] [--variant NAME]...
variants: no-streaming, no-push, extended-card, required-extension`;

const VARIANTS = ['no-streaming', 'no-push', 'extended-card', 'required-extension'];

/** @throws Error in one line for arguments that are none. */
export function settingsFrom(args: readonly string[]): Settings {
  const { values } = parseArgs({
    args: [...args],
    options: {
      over: { type: 'string', default: 'services' },
      port: { type: 'string', default: '9999' },
      'grpc-port': { type: 'string' },
      variant: { type: 'string', multiple: true, default: [] },
    },
  });
  const { over, variant } = values;
  if (over !== 'services' && over !== 'library') throw new Error('--over must be services or library');
  const unknown = variant.find((name) => !VARIANTS.includes(name));
  if (unknown !== undefined) throw new Error(`there is no variant "${unknown}"; there are: ${VARIANTS.join(', ')}`);
  const port = portIn('port', values.port);
  return {
    over,
    port,
    grpcPort: portIn('grpc-port', values['grpc-port'] ?? String(port === 0 ? 0 : port + 1)),
    streaming: !variant.includes('no-streaming'),
    push: !variant.includes('no-push'),
    extendedCard: variant.includes('extended-card'),
    requiredExtension: variant.includes('required-extension'),
  };
}

function portIn(name: string, text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new Error(`--${name} must be 0 to 65535`);
  return port;
}
