import { useAnswer } from '../state/answer.ts';
import { isAdministrator, type Me, useMe } from '../state/me.ts';
import { Link } from '../ui/link.tsx';
import { Page } from '../ui/page.tsx';
import { oftenMs } from './often.ts';
import { Overview } from './overview.tsx';
import { PeoplePage } from './people.tsx';
import { PersonPage } from './person.tsx';
import { StandingPage } from './standing.tsx';
import { ToolsPage } from './tools.tsx';
import type { HeldTools } from './types.ts';
import '../styles/operations.css';

/** Whoever keeps the platform running looks here: how it is, its tools, and its people. */
export default function OperationsPage(given: { readonly rest: readonly string[]; readonly query: string }) {
  const { rest, query } = given;
  const me = useMe();
  const held = useAnswer<HeldTools>('/tools/held', oftenMs);
  const [tab = '', second] = rest;
  return (
    <Page title="Operations">
      <nav className="tabs" aria-label="Operations">
        {tabs.map(({ path, words }) => (
          <Link key={path} to={`/operations${path}`} isCurrent={path === (tab === '' ? '' : `/${tab}`)} className="tab">
            {words}{' '}
            {path === '/tools' && (held.value?.tools.length ?? 0) > 0 ? (
              <span className="badge">
                {held.value?.tools.length}
                <span className="visually-hidden"> to accept</span>
              </span>
            ) : null}
          </Link>
        ))}
      </nav>
      <Content tab={tab} second={second} query={query} me={me} held={held} />
    </Page>
  );
}

const tabs = [
  { path: '', words: 'Overview' },
  { path: '/tools', words: 'Tools' },
  { path: '/standing', words: 'Standing approvals' },
  { path: '/people', words: 'People and keys' },
] as const;

function Content(given: {
  readonly tab: string;
  readonly second: string | undefined;
  readonly query: string;
  readonly me: Me;
  readonly held: ReturnType<typeof useAnswer<HeldTools>>;
}) {
  const { tab, second, query, me, held } = given;
  if (tab === '') return <Overview isAdministrator={isAdministrator(me)} held={held.value} />;
  if (tab === 'tools')
    return (
      <ToolsPage
        held={held}
        mayAccept={isAdministrator(me)}
        server={new URLSearchParams(query).get('server') ?? undefined}
      />
    );
  if (tab === 'standing') return <StandingPage me={me} />;
  if (tab === 'people' && second === undefined) return <PeoplePage me={me} />;
  if (tab === 'people' && second !== undefined) return <PersonPage key={second} id={second} me={me} />;
  return <p className="list-note">There is nothing at this address.</p>;
}
