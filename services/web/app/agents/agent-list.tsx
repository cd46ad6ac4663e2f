import { useEffect, useMemo, useState } from 'react';
import { Button } from 'react-aria-components';
import { useAnswer } from '../state/answer.ts';
import { isAdministrator, useMe } from '../state/me.ts';
import { go } from '../state/place.ts';
import { Icon } from '../ui/icon.tsx';
import { Link } from '../ui/link.tsx';
import { Page } from '../ui/page.tsx';
import { count, Line } from '../ui/text.tsx';
import { AgentRow, OwnAgentRow } from './agent-row.tsx';
import { useDefinitions } from './definitions.ts';
import { agentsPlace, repositoriesPlace } from './places.ts';
import type { AgentPageAnswer, Card, Repository, ToolServer } from './types.ts';

const pageItems = 50;
/** The most that the platform gives at once. */
const itemsMax = 200;
/** How often the page is asked for anew while it is looked at, in milliseconds. */
const refreshMs = 10_000;
/** Typing is over when nothing was typed for so long, in milliseconds. */
const typingMs = 200;

/** All agents that can be talked to: the one of the configuration, and those that come from repositories. */
export function AgentList({ query }: { readonly query: string }) {
  const asked = new URLSearchParams(query);
  const words = asked.get('q') ?? '';
  const from = asked.get('repository') ?? '';
  const [items, setItems] = useState(pageItems);
  const list = useAnswer<AgentPageAnswer>(listPath(words, from, items), refreshMs);
  const repositories = useAnswer<{ repositories: readonly Repository[] }>('/repositories', refreshMs).value
    ?.repositories;
  const servers = useAnswer<{ servers: readonly ToolServer[] }>('/mcp/servers', refreshMs).value?.servers;
  const own = useAnswer<Card>('/.well-known/agent-card.json').value;
  // What is shown stays while more of it, or another part, is on its way.
  const shown = useLatest(list.value);
  const definitions = useDefinitions(useMemo(() => shown?.agents ?? [], [shown]));
  const change = (next: { words?: string; from?: string }) => go(addressOf({ words, from, ...next }), true);
  const isOwnShown = own !== undefined && from === '' && holds(own, words);
  const isEmpty = shown !== undefined && shown.total === 0 && !isOwnShown;
  return (
    <Page
      title="Agents"
      note={shown === undefined ? undefined : count(shown.total + (isOwnShown ? 1 : 0), 'agent')}
      actions={
        <Link to={repositoriesPlace} className="button">
          <Icon name="graph" /> Repositories
        </Link>
      }
    >
      <div className="column">
        <Search words={words} onChange={(next) => change({ words: next })} />
        {from === '' ? null : (
          <p className="narrowed">
            Of the repository <Line text={from} />{' '}
            <Button className="link-button" onPress={() => change({ from: '' })}>
              Show all
            </Button>
          </p>
        )}
        <ul className="agent-rows" aria-label="Agents">
          {isOwnShown ? <OwnAgentRow card={own} servers={servers} /> : null}
          {shown?.agents.map((agent) => (
            <AgentRow
              key={agent.name}
              agent={agent}
              definition={definitions.get(agent.definition_digest)}
              repository={repositories?.find(({ name }) => name === agent.repository)}
              servers={servers}
            />
          ))}
        </ul>
        <p role="status" className="list-note">
          {shown === undefined && list.isLoading ? 'Loading…' : isEmpty && words !== '' ? 'Nothing found.' : ''}
        </p>
        {shown?.next_cursor !== undefined && items < itemsMax ? (
          <Button className="button" onPress={() => setItems(Math.min(itemsMax, items + pageItems))}>
            Show more
          </Button>
        ) : null}
        {shown?.next_cursor !== undefined && items >= itemsMax ? (
          <p className="list-note">The first {itemsMax} are shown. Search for others.</p>
        ) : null}
        {list.problem !== undefined && list.value === undefined ? (
          <NoneYet problem={list.problem} isConfigured={repositories !== undefined} />
        ) : shown?.total === 0 && words === '' ? (
          <NoneYet repositories={repositories} isConfigured />
        ) : null}
      </div>
    </Page>
  );
}

const listPath = (q: string, repository: string, limit: number): string =>
  `/agents?${new URLSearchParams({ ...(q === '' ? {} : { q }), ...(repository === '' ? {} : { repository }), limit: String(limit) })}`;

function addressOf({ words, from }: { readonly words: string; readonly from: string }): string {
  const given = new URLSearchParams();
  if (words !== '') given.set('q', words);
  if (from !== '') given.set('repository', from);
  const query = given.toString();
  return query === '' ? agentsPlace : `${agentsPlace}?${query}`;
}

function holds({ name, description }: Card, words: string): boolean {
  const text = `${name}\n${description}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => text.includes(word));
}

function useLatest<Value>(value: Value | undefined): Value | undefined {
  const [latest, setLatest] = useState(value);
  useEffect(() => {
    if (value !== undefined) setLatest(value);
  }, [value]);
  return value ?? latest;
}

function Search({ words, onChange }: { readonly words: string; readonly onChange: (words: string) => void }) {
  const [text, setText] = useState(words);
  useEffect(() => {
    if (text === words) return;
    const timer = setTimeout(() => onChange(text), typingMs);
    return () => clearTimeout(timer);
  }, [text, words, onChange]);
  return (
    <label className="search">
      <Icon name="search" />
      <span className="visually-hidden">Search agents</span>
      <input
        type="search"
        placeholder="Search by name, description or tag"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </label>
  );
}

/** What to do where no agent comes from a repository. */
function NoneYet(given: {
  readonly repositories?: readonly Repository[] | undefined;
  readonly problem?: string | undefined;
  /** Agents can be taken from repositories here. */
  readonly isConfigured: boolean;
}) {
  const { repositories, problem, isConfigured } = given;
  const administers = isAdministrator(useMe());
  const wrong = repositories?.some((one) => one.last_failure !== null || one.sync_error_count > 0) ?? false;
  return (
    <section className="none-yet" aria-labelledby="none-yet">
      <Icon name="agent" />
      <h2 id="none-yet">No agents from repositories yet</h2>
      <p>
        An agent can be one markdown file in a git repository, where people review its changes. It appears here as soon
        as its repository is synced.
      </p>
      {problem === undefined ? null : (
        <p className="card-note" role="status">
          {problem}
        </p>
      )}
      {wrong ? <p className="problem">Something is wrong in a repository: look there first.</p> : null}
      {isConfigured ? (
        <Link to={repositoriesPlace} className="button primary">
          {wrong || (repositories?.length ?? 0) > 0 || !administers ? 'Look at the repositories' : 'Add a repository'}
        </Link>
      ) : null}
    </section>
  );
}
