import { Containers } from '../compose/containers.ts';
import { whole } from '../compose/whole.ts';
import type { ModelControls } from './model.ts';
import type { Platform } from './platform.ts';

/** The running composition, as tests/compose hands it over in `STOPGO_E2E_COMPOSITION`, in JSON. */
export type Handed = {
  readonly engine: 'docker' | 'podman';
  readonly project: string;
  /** A folder whose `tools` the tool server in the containers shares. */
  readonly folder: string;
};

/** What the platform is made of, in the order of a stop. Tool servers and the model live on when it is killed. */
const platformServices = ['gateway', 'orchestrator', 'approvals', 'mcp-bridge', 'store', 'nats'];

const never = new AbortController().signal;

/** @throws Error if there is none. */
export function handed(): Handed {
  const text = process.env.STOPGO_E2E_COMPOSITION;
  if (text === undefined) throw new Error('STOPGO_E2E_COMPOSITION is not set: run npm run test:compose');
  return JSON.parse(text) as Handed;
}

/** The composition as the platform of a test: started where it was stopped or killed. */
export async function startComposed(): Promise<Platform> {
  const { engine, project } = handed();
  const all = new Containers(engine, project, never);
  const containers = await parts(all);
  await all.start(...containers);
  await all.healthy();
  const urls = await all.gateways();
  const [url] = urls;
  if (url === undefined) throw new Error('the composition has no gateway');
  for (const gateway of urls) await whole(gateway);
  return {
    url,
    urls,
    get process(): never {
      throw new Error('containers are no processes of ours: name the test in tests/compose/left-out.ts');
    },
    output: outputless,
    errors: outputless,
    end: async (signal) => {
      if (signal === 'SIGKILL') {
        await all.kill(containers);
        return null;
      }
      let worst = 0;
      for (const container of containers) worst ||= (await all.stop(container)).code;
      return worst;
    },
    discard: () => all.kill(containers),
  };
}

function outputless(): never {
  throw new Error('the logs of containers are not looked at here: name the test in tests/compose/left-out.ts');
}

async function parts(all: Containers) {
  const found = await all.containers();
  return platformServices.flatMap((service) => found.filter((container) => container.service === service));
}

/** The controls of the composition's model. They are not published, so they are asked for from inside its container. */
export function composedModel(): ModelControls {
  const { engine, project } = handed();
  const all = new Containers(engine, project, never);
  const script = `
    const [method, path, body] = process.argv.slice(1);
    const response = await fetch('http://127.0.0.1:8091' + path, { method, ...(body ? { body } : {}) });
    process.stdout.write(await response.text());
    if (!response.ok) process.exitCode = 1;`;
  return async (method, path, body) => {
    const [container] = await all.containers('offline-model');
    if (container === undefined) throw new Error('the composition has no offline model');
    const input = body === undefined ? '' : JSON.stringify(body);
    const node = ['node', '--input-type=module', '-e', script, method, path, input];
    return JSON.parse(await all.engine('exec', container.id, ...node)) as unknown;
  };
}
