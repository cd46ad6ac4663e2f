import { defaultConfigPath, defaultWebConfigPath } from '../start/start-config.ts';
import { version } from '../version.ts';
import type { Command, Given } from './command.ts';
import { gatewayUrl, pick, portOf } from './parse.ts';

const config = `the configuration (default: ${defaultConfigPath})`;
const demo = 'without an API key the bundled offline model answers';
const web = 'the web app too, at http://127.0.0.1:3000 or the next free port; config/web.yaml says otherwise';
const port = 'listen on this port, whatever the configuration says; 0 takes a free one';

/** What runs the platform, or a part of it. */
export const platformCommands: Readonly<Record<string, Command>> = {
  start: {
    summary: 'Run everything in one process, on the embedded log',
    arguments: [0, 0],
    options: { config, demo, port, web, open: 'with --web: open its page in the browser' },
    about: [
      'Ctrl-C or SIGTERM ends it: what runs is finished first. `npm start` is the same for a fresh clone, with the web app.',
    ],
    examples: [
      ['stopgo start --demo --web --open', 'with the web app, in the browser'],
      ['stopgo start --demo', 'the shipped agent; without a key the offline model answers'],
      ['stopgo start --config my-agent.yaml --port 8090', ''],
    ],
    run: async (given) => {
      // The platform takes half a second to load, which the other commands should not cost.
      const { startCommand } = await import('../start/command.ts');
      await startCommand(startFlags(given), given.host, version);
    },
  },
  services: {
    summary: 'The same as separate processes over gRPC and NATS JetStream',
    arguments: [0, 0],
    options: { config, demo, port, replicas: 'how many of which service (default: one of each)' },
    examples: [['stopgo services --demo --replicas orchestrator=2,store=2', '']],
    run: async (given) => {
      const { servicesCommand } = await import('../services/launcher/services-command.ts');
      await servicesCommand({ ...startFlags(given), ...pick(given.flags, 'replicas') }, given.host);
    },
  },
  web: {
    summary: 'The web app alone, for a platform that runs elsewhere',
    arguments: [0, 0],
    options: { config: `its configuration (default: ${defaultWebConfigPath})` },
    examples: [['stopgo web --config web.yaml', 'agent_url in the file names the platform']],
    run: async ({ flags, host }) => {
      const { webCommand } = await import('../start/web-command.ts');
      await webCommand(flags.config ?? defaultWebConfigPath, host);
    },
  },
  service: {
    summary: 'One service: store, mcp-bridge, orchestrator, approvals, registry or gateway',
    takes: 'NAME',
    arguments: [1, 1],
    options: { config },
    about: ['Where it listens and where the others are comes from the environment: docs/deployment.md.'],
    examples: [['STOPGO_LISTEN=127.0.0.1:7000 stopgo service store', '']],
    run: async ({ flags, args: [name = ''], host }) => {
      const { serviceCommand } = await import('../services/service-command.ts');
      await serviceCommand(name, flags.config ?? defaultConfigPath, host, version);
    },
  },
  health: {
    summary: 'Whether a service is ready; ends with code 1 if not',
    takes: '[ADDRESS|URL]',
    arguments: [0, 1],
    options: { port: 'short for the URL http://127.0.0.1:PORT' },
    about: [
      'An address (HOST:PORT) is asked over gRPC, a URL with GET. Without one it is the address that STOPGO_LISTEN names, else',
      'the platform at http://127.0.0.1:8080.',
    ],
    examples: [
      ['stopgo health', 'the platform on this machine'],
      ['stopgo health http://127.0.0.1:8090', ''],
      ['stopgo health 127.0.0.1:7000', 'a service over gRPC'],
    ],
    run: async ({ flags, args: [target], host, print }) => {
      const { health } = await import('../health.ts');
      if (flags.port === undefined) return health(target ?? '', host.env.STOPGO_LISTEN, print);
      if (target !== undefined) throw new Error('give an address or --port, not both');
      await health(gatewayUrl(flags), undefined, print);
    },
  },
};

function startFlags({ flags }: Given) {
  return {
    demo: flags.demo === true,
    web: flags.web === true || flags.open === true,
    open: flags.open === true,
    ...pick(flags, 'config'),
    ...(flags.port === undefined ? {} : { port: portOf(flags.port, 0) }),
  };
}
