import { replicasMax } from '../bounds.ts';
import { isServiceName, type ServiceName, serviceNames } from '../names.ts';

/** How many processes of each service are started. */
export type Replicas = Readonly<Record<ServiceName, number>>;

const one: Replicas = { store: 1, 'mcp-bridge': 1, orchestrator: 1, approvals: 1, registry: 1, gateway: 1 };

/**
 * Reads `orchestrator=2,store=2`; what is not named runs once.
 *
 * @throws Error in one line that says what is expected.
 */
export function parseReplicas(text: string | undefined): Replicas {
  if (text === undefined) return one;
  const given = new Map<ServiceName, number>();
  for (const part of text.split(',').map((entry) => entry.trim())) {
    const [name = '', count = '', ...more] = part.split('=');
    if (more.length > 0 || !/^\d{1,9}$/.test(count) || Number(count) < 1 || Number(count) > replicasMax)
      throw new Error(
        `--replicas takes NAME=COUNT, several separated by commas, with a count from 1 to ${replicasMax}; found "${part}"`,
      );
    if (!isServiceName(name))
      throw new Error(`--replicas: there is no service "${name}"; the services are ${serviceNames.join(', ')}`);
    if (given.has(name)) throw new Error(`--replicas names ${name} twice; name it once`);
    given.set(name, Number(count));
  }
  return { ...one, ...Object.fromEntries(given) };
}
