import type { Composition } from './composition.ts';
import type { Container } from './containers.ts';

/** Which services may know which secret. */
const knows: Readonly<Record<string, readonly string[]>> = {
  internalToken: ['gateway', 'orchestrator', 'approvals', 'mcp-bridge', 'store'],
  natsPassword: ['store', 'nats'],
  modelKey: ['orchestrator'],
};

const PUBLISHED = { service: 'gateway', address: '127.0.0.1' };

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
  return [...found.flat(), ...(await imageSecrets(composition))];
}

async function published(composition: Composition, { id, name, service }: Container): Promise<string[]> {
  const ports = JSON.parse(await composition.inspect(id, '{{json .NetworkSettings.Ports}}')) as PortBindings | null;
  const bindings = Object.entries(ports ?? {}).flatMap(([port, at]) =>
    (at ?? []).map(({ HostIp }) => ({ port, HostIp })),
  );
  if (service !== PUBLISHED.service) return bindings.map(({ port }) => `${name} publishes ${port}`);
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

/** An image is for everybody: what built it must have left no secret behind. */
async function imageSecrets(composition: Composition): Promise<string[]> {
  const history = await composition.engine('history', '--no-trunc', composition.image);
  const configuration = await composition.inspect(composition.image, '{{json .Config}}');
  return Object.entries(composition.secrets)
    .filter(([, value]) => `${history}${configuration}`.includes(value))
    .map(([secret]) => `the image holds ${secret}`);
}
