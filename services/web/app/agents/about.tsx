import type { ReactNode } from 'react';
import { useAnswer } from '../state/answer.ts';
import { Link } from '../ui/link.tsx';
import { Exact, Line, Marked } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import { Hash, HealthDot } from './agent-row.tsx';
import { healthOf } from './health.ts';
import {
  asksOf,
  askWords,
  atLimitOf,
  limitsOf,
  modelNodes,
  serversOf,
  toldOf,
  toolsInShort,
  toolsOf,
  wayOf,
} from './outline.ts';
import { agentPlace } from './places.ts';
import type { Agent, AgentNode, Definition, Repository, ToolServer } from './types.ts';

/** How often it is asked how things stand, in milliseconds. */
const refreshMs = 10_000;
/** Instructions are read: more of them is shown than of a value. */
const instructionsFold = { characters: 8_000, lines: 120 };

/** An agent in full: what it is told, what it may use, and where it stops. */
export function About({ agent, definition }: { readonly agent: Agent; readonly definition: Definition }) {
  const { root, platform } = definition;
  const repositories = useAnswer<{ repositories: readonly Repository[] }>('/repositories', refreshMs).value
    ?.repositories;
  const servers = useAnswer<{ servers: readonly ToolServer[] }>('/mcp/servers', refreshMs).value?.servers;
  const repository = repositories?.find(({ name }) => name === agent.repository);
  const limits = limitsOf(definition);
  return (
    <>
      <section className="panel" aria-label="What it is">
        <div className="agent-lead">
          {platform === undefined || platform.title === agent.name ? null : (
            <p className="agent-title">
              <Marked text={platform.title} />
            </p>
          )}
          <p className="agent-what">
            <Marked text={agent.description} />
          </p>
          {servers === undefined ? null : (
            <p>
              <HealthDot health={healthOf(serversOf(definition), servers, repository)} />
            </p>
          )}
        </div>
        <dl className="facts">
          <Fact name="Comes from">
            <Line text={agent.file_path} /> in <Line text={agent.repository} />
            {repository === undefined ? null : (
              <>
                , branch <Line text={repository.branch} />
              </>
            )}
          </Fact>
          <Fact name="Commit">
            <Hash commit={agent.git_commit} /> <Time at={agent.last_modified} />
            {agent.version === null ? null : (
              <>
                , version <Line text={agent.version} />
              </>
            )}
          </Fact>
          <Fact name="Model">
            <Models root={root} providers={platform?.providers ?? []} />
          </Fact>
          <Fact name="Tools">
            <Line text={toolsInShort(definition)} />
          </Fact>
          <Fact name="Asks people">
            <span className={asksOf(definition) === 'rules' ? undefined : 'asks'}>{askWords[asksOf(definition)]}</span>
          </Fact>
          <Fact name="May use at most">
            {limits.length === 0 ? 'No limits of its own' : limits.join(', ')}
            {atLimitOf(definition) === undefined ? '' : `; ${atLimitOf(definition)}`}
          </Fact>
          <Fact name="May call">
            <Callable names={platform?.allowedAgents ?? []} />
          </Fact>
          <Fact name="Is told">
            <Line text={toldOf(definition)} />
          </Fact>
          <Fact name="Is done">
            {platform?.completionRequired === false ? 'With its first answer without a call' : 'Once it says so'}
          </Fact>
          {agent.tags.length === 0 ? null : (
            <Fact name="Tags">
              {agent.tags.map((tag) => (
                <span key={tag} className="chip">
                  <Line text={tag} />
                </span>
              ))}
            </Fact>
          )}
          {(platform?.examples.length ?? 0) === 0 ? null : (
            <Fact name="Good for">
              <ul className="examples">
                {platform?.examples.map((example) => (
                  <li key={example}>
                    <Line text={example} />
                  </li>
                ))}
              </ul>
            </Fact>
          )}
        </dl>
      </section>
      {root.children === undefined ? (
        <Instructions text={root.prompt ?? ''} title="Instructions" />
      ) : (
        <section aria-labelledby="steps">
          <h2 id="steps" className="section-title">
            Steps
          </h2>
          <ul className="agent-tree">
            <Step node={root} />
          </ul>
        </section>
      )}
    </>
  );
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

function Models({ root, providers }: { readonly root: AgentNode; readonly providers: readonly string[] }) {
  const models = [...new Set(modelNodes(root).flatMap(({ model = '', fallbacks = [] }) => [model, ...fallbacks]))];
  return (
    <>
      <Line text={models.filter((one) => one !== '').join(', ') || 'the usual one'} />
      {providers.length === 0 ? null : (
        <>
          , asked at <Line text={providers.join(', then ')} />
        </>
      )}
    </>
  );
}

/** Names of agents lead to their pages, patterns of names nowhere. */
function Callable({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return <>No other agents</>;
  return (
    <>
      {names.map((name, index) => (
        <span key={name}>
          {index === 0 ? '' : ', '}
          {/[*?]/.test(name) ? (
            <Line text={name} />
          ) : (
            <Link to={agentPlace(name)}>
              <Line text={name} />
            </Link>
          )}
        </span>
      ))}
    </>
  );
}

function Instructions({ text, title }: { readonly text: string; readonly title: string }) {
  return (
    <section aria-label={title}>
      <h2 className="section-title">{title}</h2>
      <div className="instructions">
        {text === '' ? (
          <em className="kind">none</em>
        ) : (
          <Exact text={text} label="the instructions" fold={instructionsFold} />
        )}
      </div>
    </section>
  );
}

/** A node of the tree, and those below it. */
function Step({ node }: { readonly node: AgentNode }) {
  const { name, type, children, prompt = '', approval } = node;
  return (
    <li className="agent-step">
      <p className="agent-step-name">
        <Line text={name} />
      </p>
      <p className="card-note">
        {wayOf(node)}
        {type === 'llm' ? (
          <>
            {'. '}
            <Line text={toolsOf(node)} />.{approval === 'require' ? ` ${askWords.always}.` : ''}
          </>
        ) : null}
      </p>
      {type === 'llm' ? (
        <div className="instructions">
          <Exact text={prompt} label={`the instructions of ${name}`} />
        </div>
      ) : null}
      {children === undefined ? null : (
        <ul className="agent-tree">
          {children.map((child, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: children have no other name that is theirs alone
            <Step key={index} node={child} />
          ))}
        </ul>
      )}
    </li>
  );
}
