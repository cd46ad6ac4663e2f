import type { Composition } from './composition.ts';
import type { Container } from './containers.ts';

/** Which services may know which secret. */
const knows: Readonly<Record<string, readonly string[]>> = {
  tokenOfGateway: ['gateway'],
  tokenOfOrchestrator: ['orchestrator'],
  tokenOfApprovals: ['approvals'],
  tokenOfBridge: ['mcp-bridge'],
  tokenOfStore: ['store'],
  natsPassword: ['store', 'nats'],
  modelKey: ['orchestrator'],
};

/** The services that the machine reaches, on this address alone. */
const PUBLISHED = { services: ['gateway', 'web'], address: '127.0.0.1' };

type PortBindings = Readonly<Record<string, readonly { readonly HostIp: string }[] | null>>;

/** What is wrong with how the containers are shut off from each other and from the machine; empty if nothing is. */
export async function isolationProblems(composition: Composition): Promise<string[]> {
  const containers = await composition.containers();
  const found = await Promise.all(
    containers.map(async (container) => [
      ...(await published(composition, container)),
      ...(await privileges(composition, container)),
      ...(await secrets(composition, container)),
    ]),
  );
  return [...found.flat(), ...(await imageSecrets(composition)), ...(await toolServers(composition, containers))];
}

async function published(composition: Composition, { id, name, service }: Container): Promise<string[]> {
  const ports = JSON.parse(await composition.inspect(id, '{{json .NetworkSettings.Ports}}')) as PortBindings | null;
  const bindings = Object.entries(ports ?? {}).flatMap(([port, at]) =>
    (at ?? []).map(({ HostIp }) => ({ port, HostIp })),
  );
  if (!PUBLISHED.services.includes(service)) return bindings.map(({ port }) => `${name} publishes ${port}`);
  if (bindings.length !== 1) return [`${name} publishes ${bindings.length} ports`];
  return bindings
    .filter(({ HostIp }) => HostIp !== PUBLISHED.address)
    .map(({ port, HostIp }) => `${name} publishes ${port} on ${HostIp}`);
}

/** Asks the processes themselves: what the engine was told is not what is. */
async function privileges(composition: Composition, { id, name }: Container): Promise<string[]> {
  const status = await composition.engine('exec', id, 'cat', '/proc/1/status');
  const field = (key: string) => new RegExp(`^${key}:\\s*(.*)$`, 'm').exec(status)?.[1]?.trim() ?? '';
  const mounts = await composition.engine('exec', id, 'cat', '/proc/1/mounts');
  const rootOptions = /^\S+ \/ \S+ (\S+)/m.exec(mounts)?.[1]?.split(',') ?? [];
  return [
    ...(field('Uid').split(/\s+/).includes('0') ? [`${name} runs as root`] : []),
    ...(/^0+$/.test(field('CapEff')) && /^0+$/.test(field('CapBnd')) ? [] : [`${name} has capabilities`]),
    ...(field('NoNewPrivs') === '1' ? [] : [`${name} may gain privileges`]),
    ...(rootOptions.includes('ro') ? [] : [`${name} can write to its root file system`]),
  ];
}

async function secrets(composition: Composition, container: Container): Promise<string[]> {
  const { id, name, service } = container;
  const environment = await composition.inspect(id, '{{json .Config.Env}}');
  const logs = await composition.logs(container);
  return Object.entries(composition.secrets).flatMap(([secret, value]) => [
    ...(environment.includes(value) === (knows[secret]?.includes(service) ?? false)
      ? []
      : [`${name} ${environment.includes(value) ? 'is given' : 'lacks'} ${secret}`]),
    ...(logs.includes(value) ? [`${name} has ${secret} in its log`] : []),
  ]);
}

/** Containers of tool servers, and what each may reach. */
const TOOL_SERVERS = ['mcp-resources', 'mcp-filesystem'];

/** A tool server reaches the bridge and nobody else, whatever it knows of the others. */
async function toolServers(composition: Composition, containers: readonly Container[]): Promise<string[]> {
  const addresses = await Promise.all(
    containers.map(async ({ id, name, service }) => {
      const networks = await composition.inspect(id, '{{json .NetworkSettings.Networks}}');
      const ips = Object.values(JSON.parse(networks) as Record<string, { readonly IPAddress: string }>);
      return { name, service, ips: ips.map(({ IPAddress }) => IPAddress) };
    }),
  );
  const found = containers
    .filter(({ service }) => TOOL_SERVERS.includes(service))
    .flatMap((tool) =>
      addresses
        .filter(({ name }) => name !== tool.name)
        .flatMap(({ name, service, ips }) =>
          ips.map(async (ip) => {
            const reached = await reaches(composition, tool, ip, service);
            // On their network; the addresses that the bridge has elsewhere are out of reach, too.
            if (service === 'mcp-bridge') return { reached, problem: undefined };
            return { reached, problem: reached ? `${tool.name} reaches ${name}` : undefined };
          }),
        ),
    );
  const tries = await Promise.all(found);
  return [
    ...tries.flatMap(({ problem }) => problem ?? []),
    // A test that reaches nothing at all would find nothing wrong.
    ...(tries.some(({ reached }) => reached) ? [] : ['no tool server reaches the bridge']),
  ];
}

/** Connects from inside of a container to the port that a service listens on. */
async function reaches(composition: Composition, { id }: Container, ip: string, service: string): Promise<boolean> {
  const port = { gateway: 8080, nats: 4222, web: 3000, 'mcp-resources': 8090, 'offline-model': 8091 }[service] ?? 7000;
  const program = `
    const socket = require('node:net').connect({ host: '${ip}', port: ${port} });
    const end = (what) => { console.log(what); process.exit(); };
    socket.once('connect', () => end('reached')).once('error', () => end('not reached')).setTimeout(3000, () => end('not reached'));
  `;
  return (await composition.engine('exec', id, 'node', '-e', program)).trim() === 'reached';
}

/** An image is for everybody: what built it must have left no secret behind. */
async function imageSecrets(composition: Composition): Promise<string[]> {
  const history = await composition.engine('history', '--no-trunc', composition.image);
  const configuration = await composition.inspect(composition.image, '{{json .Config}}');
  return Object.entries(composition.secrets)
    .filter(([, value]) => `${history}${configuration}`.includes(value))
    .map(([secret]) => `the image holds ${secret}`);
}
