import { Link } from '../ui/link.tsx';
import { Block, count, Line } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import type { Tool, Wait } from './types.ts';

const what: Readonly<Record<string, (name: string) => string>> = {
  model: (name) => `The model “${name}” cannot be asked now`,
  agent: (name) => `The agent “${name}” is out of reach`,
  tool_server: (name) => `The tool server “${name}” is down`,
  tool_bridge: () => 'No bridge to the tools is there',
  tool_turn: (name) => `The tool server “${name}” takes other calls first`,
  registry: (name) => `The registry is out of reach, where the agent “${name}” is looked up`,
};

/** What runs wait for now, other than people. */
export function WaitList({ waits }: { readonly waits: readonly Wait[] }) {
  if (waits.length === 0) return <p className="calm">No run waits for anything but people.</p>;
  return (
    <ul className="panels">
      {waits.map((wait) => (
        <li key={`${wait.kind} ${wait.name ?? ''}`} className="panel warned">
          <h3>
            <Line text={what[wait.kind]?.(wait.name ?? '') ?? 'Something newer than this app is waited for'} />
          </h3>
          <WaitFacts wait={wait} />
        </li>
      ))}
    </ul>
  );
}

function WaitFacts({ wait }: { readonly wait: Wait }) {
  const { since, next_try_at: next, reason, runs, conversation_ids: ids } = wait;
  return (
    <>
      {reason === undefined ? null : (
        <p>
          <Block text={reason} />
        </p>
      )}
      <p className="panel-note">
        Since <Time at={since} />.{' '}
        {next === undefined ? (
          'It is tried again by itself; nothing is lost.'
        ) : (
          <>It is tried again by itself, next at {new Date(next).toLocaleTimeString()}; nothing is lost.</>
        )}
      </p>
      <p className="panel-note">
        {count(runs, 'run')} {runs === 1 ? 'waits' : 'wait'}:{' '}
        {ids.map((id, index) => (
          <span key={id}>
            {index === 0 ? '' : ', '}
            <Link to={`/c/${id}`}>conversation {index + 1}</Link>
          </span>
        ))}
        {ids.length < runs ? ' and more' : ''}
      </p>
    </>
  );
}

const prefix = /^a2a_/;

/** Other agents that this one may hand tasks to. They are asked only when a run needs them, so that nobody knows more of one that no run waits for. */
export function AgentList(given: { readonly agents: readonly Tool[]; readonly waits: readonly Wait[] | undefined }) {
  const { agents, waits } = given;
  return (
    <ul className="panels grid">
      {agents.map(({ name, description }) => {
        const own = name.replace(prefix, '');
        const wait = waits?.find((one) => one.kind === 'agent' && one.name === own);
        return (
          <li key={name} className={`panel ${wait === undefined ? '' : 'bad'}`}>
            <h3>
              <Line text={own} />
            </h3>
            {description === '' ? null : (
              <p>
                <Block text={description} />
              </p>
            )}
            {wait === undefined ? (
              <p className="panel-note">
                {waits === undefined
                  ? 'It is asked when a run needs it.'
                  : 'No run waits for it. It is asked when a run needs it.'}
              </p>
            ) : (
              <>
                <p className="dot bad">Out of reach</p>
                <WaitFacts wait={wait} />
              </>
            )}
          </li>
        );
      })}
    </ul>
  );
}
