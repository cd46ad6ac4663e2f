import { count, Line } from '../ui/text.tsx';
import type { Process } from './types.ts';

const names: Readonly<Record<string, string>> = {
  platform: 'All services, in one process',
  gateway: 'Gateway: the API',
  orchestrator: 'Orchestrator: drives the runs',
  approvals: 'Approvals: decisions, and people',
  'mcp-bridge': 'Bridge to the tools',
  store: 'Store: the record',
  registry: 'Registry: agents from git',
};

/** The processes of the platform, by service, with those that do not answer. */
export function ProcessList({ processes }: { readonly processes: readonly Process[] }) {
  const services = [...new Set(processes.map(({ service }) => service))];
  return (
    <ul className="panels grid">
      {services.map((service) => {
        const replicas = processes.filter((one) => one.service === service);
        const silent = replicas.filter(({ answers }) => !answers).length;
        return (
          <li key={service} className={`panel ${silent > 0 ? 'bad' : ''}`}>
            <h3>{names[service] ?? <Line text={service} />}</h3>
            <p className={`dot ${silent > 0 ? 'bad' : 'approved'}`}>
              {silent === 0
                ? replicas.length === 1
                  ? 'Answers'
                  : `${count(replicas.length, 'replica')}, all answer`
                : `${silent} of ${count(replicas.length, 'process').replace('processs', 'processes')} ${silent === 1 ? 'does' : 'do'} not answer`}
            </p>
            <ul className="instances">
              {replicas.map(({ instance, address, answers }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: one that does not answer has no name
                <li key={index}>
                  <code>
                    <Line text={instance ?? address ?? 'unknown'} />
                  </code>
                  {instance === undefined || address === undefined ? null : (
                    <>
                      {' '}
                      at <Line text={address} />
                    </>
                  )}
                  {answers ? '' : ': no answer within two seconds'}
                </li>
              ))}
            </ul>
          </li>
        );
      })}
    </ul>
  );
}
