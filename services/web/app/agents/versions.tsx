import { visibleLine } from '@stopgo/core/visible';
import { useId } from 'react';
import { useAnswer } from '../state/answer.ts';
import { isAdministrator, useMe } from '../state/me.ts';
import { go } from '../state/place.ts';
import { Link } from '../ui/link.tsx';
import { Loaded } from '../ui/page.tsx';
import { Marked } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import { Hash } from './agent-row.tsx';
import { PatchView } from './patch-view.tsx';
import { agentPlace, apiOf, beginPlace } from './places.ts';
import type { Commit, DiffAnswer } from './types.ts';

/** The most that the platform shows at once. */
const commitsMax = 100;
/** How often it is looked whether there is a newer version, in milliseconds. */
const refreshMs = 10_000;

/** The commits that changed an agent, the newest first, and what is different between two of them. */
export function Versions(given: {
  readonly name: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}) {
  const { name, from, to } = given;
  const administers = isAdministrator(useMe());
  const history = useAnswer<{ history: readonly Commit[] }>(
    apiOf(name, '/history', { limit: String(commitsMax) }),
    refreshMs,
  );
  return (
    <Loaded of={history}>
      {({ history: commits }) => (
        <>
          {from === undefined && to === undefined ? null : (
            <Comparison name={name} commits={commits} from={from} to={to} />
          )}
          <ol className="version-rows" aria-label="Versions, the newest first">
            {commits.map((commit, index) => (
              <Version
                key={commit.hash}
                {...{ name, administers, commit, isNewest: index === 0, isFirst: index === commits.length - 1 }}
              />
            ))}
          </ol>
          {commits.length === commitsMax ? (
            <p className="card-note">The latest {commitsMax} are shown; the repository has all of them.</p>
          ) : null}
        </>
      )}
    </Loaded>
  );
}

function Version(given: {
  readonly name: string;
  readonly administers: boolean;
  readonly commit: Commit;
  readonly isNewest: boolean;
  readonly isFirst: boolean;
}) {
  const { name, administers, commit, isNewest, isFirst } = given;
  const { hash, message, author, timestamp } = commit;
  const [subject = '', ...rest] = message.split('\n');
  const more = rest.join('\n').trim();
  const id = useId();
  return (
    <li className="version-row">
      <div>
        <p className="version-subject" id={id}>
          <Marked text={subject} />
          {isNewest ? <span className="tag now">newest</span> : null}
        </p>
        {more === '' ? null : (
          <p className="version-more">
            <Marked text={more} />
          </p>
        )}
        <p className="agent-row-meta">
          <span>
            <Marked text={author} />
          </span>
          <Time at={timestamp} />
          <Hash commit={hash} />
        </p>
      </div>
      <p className="version-links">
        <Link to={agentPlace(name, { tab: 'versions', to: hash })} describedBy={id}>
          {isFirst ? 'What it began with' : 'What changed'}
        </Link>
        <Link to={agentPlace(name, { commit: hash })} describedBy={id}>
          Look at it
        </Link>
        {/* The newest one is run as it is at its branch then. */}
        {isNewest ? (
          <Link to={beginPlace(name)} describedBy={id}>
            Run the newest version
          </Link>
        ) : administers ? (
          <Link to={beginPlace(name, hash)} describedBy={id}>
            Run this version
          </Link>
        ) : null}
      </p>
    </li>
  );
}

/** What differs between two versions, either of which can be changed. */
function Comparison(given: {
  readonly name: string;
  readonly commits: readonly Commit[];
  readonly from: string | undefined;
  readonly to: string | undefined;
}) {
  const { name, commits, from, to = commits[0]?.hash } = given;
  const diff = useAnswer<DiffAnswer>(apiOf(name, '/diff', { from, to }));
  const show = (next: { from?: string; to?: string }) =>
    go(agentPlace(name, { tab: 'versions', from, to, ...next }), true);
  return (
    <section className="panel comparison" aria-labelledby="comparison">
      <header className="comparison-head">
        <h2 id="comparison" className="section-title">
          What changed
        </h2>
        <Link to={agentPlace(name, { tab: 'versions' })} className="button quiet">
          Close
        </Link>
      </header>
      <div className="comparison-choice">
        <label className="field">
          From
          <select value={from ?? ''} onChange={(event) => show({ from: event.target.value || undefined })}>
            <option value="">the version before</option>
            <Options commits={commits} chosen={from} />
          </select>
        </label>
        <label className="field">
          To
          <select value={to} onChange={(event) => show({ to: event.target.value })}>
            <Options commits={commits} chosen={to} />
          </select>
        </label>
      </div>
      <Loaded of={diff}>
        {({ from: before, patch }) => (
          <>
            {before === null ? <p className="card-note">The agent was not there before: all of it is new.</p> : null}
            <PatchView patch={patch} />
          </>
        )}
      </Loaded>
    </section>
  );
}

const subjectCharacters = 60;

/** The versions to choose from; one that is not among the latest, as of a tag, stands for itself. */
function Options({ commits, chosen }: { readonly commits: readonly Commit[]; readonly chosen: string | undefined }) {
  const isListed = chosen === undefined || commits.some(({ hash }) => hash === chosen);
  return (
    <>
      {isListed ? null : <option value={chosen}>{visibleLine(chosen.slice(0, 40))}</option>}
      {commits.map(({ hash, message }) => (
        <option key={hash} value={hash}>
          {hash.slice(0, 7)} {visibleLine((message.split('\n')[0] ?? '').slice(0, subjectCharacters))}
        </option>
      ))}
    </>
  );
}
