import { useAnswer } from '../state/answer.ts';
import { isAdministrator, useMe } from '../state/me.ts';
import { Icon } from '../ui/icon.tsx';
import { Link } from '../ui/link.tsx';
import { Loaded, Page } from '../ui/page.tsx';
import { Line } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import { About } from './about.tsx';
import { Hash } from './agent-row.tsx';
import { MemoryList } from './memory.tsx';
import { OwnAgent } from './own-agent.tsx';
import { type AgentTab, agentPlace, agentsPlace, apiOf, askedOf, beginPlace } from './places.ts';
import type { Agent, AgentAnswer, Card } from './types.ts';
import { Versions } from './versions.tsx';

/** How often the page is asked for anew while it is looked at, in milliseconds. */
const refreshMs = 10_000;

const tabs: readonly (readonly [AgentTab, string])[] = [
  ['about', 'About'],
  ['versions', 'Versions'],
  ['memory', 'Memory'],
];

/** One agent: what it is, its versions, and what it remembers. */
export function AgentView({ name, query }: { readonly name: string; readonly query: string }) {
  const { tab, commit, from, to } = askedOf(query);
  const own = useAnswer<Card>('/.well-known/agent-card.json');
  // No repository has an agent of that name.
  const isOwn = own.value?.name === name;
  const newest = useAnswer<AgentAnswer>(isOwn || own.isLoading ? undefined : apiOf(name), refreshMs);
  const chosen = useAnswer<AgentAnswer>(commit === undefined || isOwn ? undefined : apiOf(name, '', { commit }));
  if (isOwn && own.value !== undefined) return <OwnAgent card={own.value} />;
  const shown = commit === undefined ? newest : chosen;
  const begin = commit === undefined ? beginPlace(name) : beginPlace(name, shown.value?.agent.git_commit ?? commit);
  return (
    <Page
      title={<Line text={name} />}
      back={agentsPlace}
      actions={<Begin to={begin} isPinned={commit !== undefined} isThere={shown.value !== undefined} />}
    >
      <div className="column">
        {newest.problem !== undefined && newest.value === undefined ? (
          <NotHere problem={newest.problem} />
        ) : (
          <>
            <nav className="tabs" aria-label="About this agent">
              {tabs.map(([value, label]) => (
                <Link
                  key={value}
                  to={agentPlace(name, { tab: value, ...(value === 'about' ? { commit } : {}) })}
                  isCurrent={value === tab}
                  className="tab"
                >
                  {label}
                </Link>
              ))}
            </nav>
            {tab === 'about' ? (
              <Loaded of={shown}>
                {({ agent, definition }) => (
                  <>
                    {commit === undefined ? null : <WhichVersion agent={agent} newest={newest.value?.agent} />}
                    <About agent={agent} definition={definition} />
                  </>
                )}
              </Loaded>
            ) : tab === 'versions' ? (
              <Versions name={name} from={from} to={to} />
            ) : (
              <MemoryList agent={name} />
            )}
          </>
        )}
      </div>
    </Page>
  );
}

function NotHere({ problem }: { readonly problem: string }) {
  return (
    <section className="none-yet" aria-label="This agent cannot be shown">
      <Icon name="agent" />
      <p role="status">{problem}</p>
      <Link to={agentsPlace} className="button">
        All agents
      </Link>
    </section>
  );
}

/** The way to a conversation. Another version than the newest is for administrators. */
function Begin(given: { readonly to: string; readonly isPinned: boolean; readonly isThere: boolean }) {
  const { to, isPinned, isThere } = given;
  const administers = isAdministrator(useMe());
  if (!isThere || (isPinned && !administers)) return null;
  return (
    <Link to={to} className="button primary">
      <Icon name="chat" /> {isPinned ? 'Run this version' : 'Start a conversation'}
    </Link>
  );
}

/** Says that another version than the newest one is shown, and whether that makes a difference. */
function WhichVersion({ agent, newest }: { readonly agent: Agent; readonly newest: Agent | undefined }) {
  const { name, git_commit: commit, last_modified: at, definition_digest: digest } = agent;
  const isSame = newest?.definition_digest === digest;
  return (
    <div className={isSame ? 'version-note' : 'version-note old'}>
      <p>
        This is the version <Hash commit={commit} /> of <Time at={at} />.{' '}
        {newest === undefined ? null : isSame ? 'The newest one says the same.' : 'The newest one is different.'}
      </p>
      <p className="version-links">
        {isSame ? null : (
          <Link to={agentPlace(name, { tab: 'versions', from: commit, to: newest?.git_commit })}>
            What has changed since
          </Link>
        )}
        <Link to={agentPlace(name)}>Look at the newest one</Link>
      </p>
    </div>
  );
}
