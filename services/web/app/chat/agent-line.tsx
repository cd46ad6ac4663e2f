import type { ReactNode } from 'react';
import { Arguments } from '../approvals/arguments.tsx';
import { Icon } from '../ui/icon.tsx';
import { Exact, Line } from '../ui/text.tsx';
import type { Call, CalledAgent, Transcript } from './transcript.ts';

/** Where what happens below an agent is found. */
type Below = Pick<Transcript, 'calls' | 'agents'>;

/**
 * An agent that works on a call of another one, on one line: whose work it is, and how it stands. Folded below are what it was asked, all
 * that was said and done in it, and what it gave back.
 */
export function AgentLine(given: {
  readonly agent: CalledAgent;
  readonly call: Call;
  readonly below: Below;
  /** What was said and done in it. */
  readonly children: ReactNode;
}) {
  const { agent, call, below, children } = given;
  const { name, commit, path, items, result, state } = agent;
  const [what, words] = stateOf(agent, below);
  return (
    <details className={`call agent-call ${what}`}>
      <summary>
        <Icon name={state === 'failed' ? 'warn' : 'agent'} />
        <span className="agent-name">
          <Line text={name} />
        </span>
        {commit === '' ? null : (
          <code className="agent-commit" title={`${path} at ${commit}`}>
            {commit.slice(0, 12)}
          </code>
        )}
        <span className={`call-state ${what}`}>{words}</span>
      </summary>
      <section className="call-body" aria-label={`The work of the agent ${name}`}>
        <p className="call-part">What it was asked</p>
        <Task call={call} />
        {items.length === 0 ? null : <p className="call-part">What it did</p>}
        <ol className="items nested">{children}</ol>
        {result === undefined ? null : (
          <>
            <p className="call-part">
              What it gave back{agent.says === undefined ? '' : `: ${sayings[agent.says] ?? agent.says}`}
            </p>
            <div className="result">
              {result === '' ? <em>nothing</em> : <Exact text={result} label="the result" />}
            </div>
          </>
        )}
      </section>
    </details>
  );
}

const sayings: Readonly<Record<string, string>> = {
  success: 'it says that its task is done',
  partial: 'it says that its task is done in part',
  failed: 'it says that it could not do its task',
};

function Task({ call: { args } }: { readonly call: Call }) {
  const task = typeof args === 'object' && args !== null && 'input' in args ? args.input : undefined;
  return typeof task === 'string' ? (
    <div className="result">
      <Exact text={task} label="the task" />
    </div>
  ) : (
    <Arguments value={args} />
  );
}

/** How it stands, as a class and in words: what people are asked anywhere below it comes first. */
function stateOf(agent: CalledAgent, below: Below): readonly [string, string] {
  const { state, ms = 0 } = agent;
  if (state === 'ended') return ['ended', 'was ended'];
  if (state === 'failed') return ['failed', 'failed'];
  if (state === 'done') return ['done', `done in ${ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`}`];
  return waits(agent, below) ? ['waiting', 'waits for people'] : ['running', 'is working'];
}

const waits = (agent: CalledAgent, below: Below): boolean =>
  agent.items.some(
    (item) =>
      item.kind === 'calls' &&
      item.calls.some((id) => {
        const called = below.agents.get(id);
        const state = below.calls.get(id)?.state ?? 'done';
        return ['waiting', 'asking', 'doubt'].includes(state) || (called?.state === 'working' && waits(called, below));
      }),
  );
