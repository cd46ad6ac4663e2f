import { visibleLine } from '@stopgo/core/visible';
import { Link } from '../ui/link.tsx';
import { Line, Marked } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import { type Health, healthOf } from './health.ts';
import { asksOf, askWords, limitsOf, serversOf, toolsInShort } from './outline.ts';
import { agentPlace, beginPlace } from './places.ts';
import type { Agent, Card, Definition, Repository, ToolServer } from './types.ts';

const shownDigits = 12;

/** The beginning of a commit's id, which names it as well. */
export const Hash = ({ commit }: { readonly commit: string }) => (
  <code title={commit}>{commit.startsWith('worktree-') ? 'not committed' : commit.slice(0, shownDigits)}</code>
);

export const HealthDot = ({ health }: { readonly health: Health | undefined }) =>
  health === undefined ? null : (
    <span className={`dot ${{ good: 'approved', wait: 'wait', bad: 'bad' }[health.tone]}`}>
      <Line text={health.text} />
    </span>
  );

/** An agent of a repository, in a list of them. */
export function AgentRow(given: {
  readonly agent: Agent;
  readonly definition: Definition | undefined;
  readonly repository: Repository | undefined;
  readonly servers: readonly ToolServer[] | undefined;
}) {
  const { agent, definition, repository, servers } = given;
  const limits = definition === undefined ? [] : limitsOf(definition);
  return (
    <li className="agent-row">
      <div className="agent-row-text">
        <Link to={agentPlace(agent.name)} className="agent-row-name">
          <Line text={agent.name} />
        </Link>
        <p className="agent-row-what">
          <Marked text={agent.description} />
        </p>
        <p className="agent-row-meta">
          {definition === undefined || servers === undefined ? null : (
            <HealthDot health={healthOf(serversOf(definition), servers, repository)} />
          )}
          <span>
            <Line text={agent.repository} />
            {repository === undefined ? null : (
              <>
                , <Line text={repository.branch} />
              </>
            )}{' '}
            <Hash commit={agent.git_commit} />
          </span>
          <span>
            taken up <Time at={agent.last_modified} />
          </span>
          {agent.tags.map((tag) => (
            <span key={tag} className="chip">
              <Line text={tag} />
            </span>
          ))}
        </p>
        {definition === undefined ? null : (
          <p className="agent-row-meta">
            <span>
              <Line text={toolsInShort(definition)} />
            </span>
            <span className={asksOf(definition) === 'rules' ? undefined : 'asks'}>{askWords[asksOf(definition)]}</span>
            {limits.length === 0 ? null : <span>At most {limits.slice(0, 2).join(', ')}</span>}
          </p>
        )}
      </div>
      <Link
        to={beginPlace(agent.name)}
        className="button"
        label={`Start a conversation with ${visibleLine(agent.name)}`}
      >
        Start
      </Link>
    </li>
  );
}

/** The agent that stands in the configuration of the platform itself. */
export function OwnAgentRow(given: { readonly card: Card; readonly servers: readonly ToolServer[] | undefined }) {
  const { card, servers } = given;
  return (
    <li className="agent-row">
      <div className="agent-row-text">
        <Link to={agentPlace(card.name)} className="agent-row-name">
          <Line text={card.name} />
        </Link>
        {card.description === '' ? null : (
          <p className="agent-row-what">
            <Line text={card.description} />
          </p>
        )}
        <p className="agent-row-meta">
          {servers === undefined ? null : <HealthDot health={healthOf(undefined, servers, undefined)} />}
          <span>From the configuration of the platform. It answers where no other agent is chosen.</span>
        </p>
      </div>
      <Link to="/" className="button" label={`Start a conversation with ${visibleLine(card.name)}`}>
        Start
      </Link>
    </li>
  );
}
