import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useAnswer } from '../state/answer.ts';
import { isAdministrator, useMe } from '../state/me.ts';
import { Icon } from '../ui/icon.tsx';
import { Page } from '../ui/page.tsx';
import { agentsPlace } from './places.ts';
import { RepositoryCard } from './repository-card.tsx';
import { RepositoryForm } from './repository-form.tsx';
import type { Repository } from './types.ts';

/** How often it is asked how they stand, in milliseconds: a sync ends meanwhile, or fails. */
const refreshMs = 3_000;

/** The git repositories that agents come from: how each stands, and what is wrong in it. */
export function Repositories() {
  const { value, problem, isLoading, again } = useAnswer<{ repositories: readonly Repository[] }>(
    '/repositories',
    refreshMs,
  );
  const administers = isAdministrator(useMe());
  const [isAdding, setAdding] = useState(false);
  const repositories = value?.repositories;
  const add =
    administers && repositories !== undefined ? (
      <Button className="button primary" onPress={() => setAdding(true)}>
        <Icon name="plus" /> Add a repository
      </Button>
    ) : undefined;
  return (
    <Page title="Repositories" back={agentsPlace} actions={add}>
      <div className="column">
        <p role="status" className="list-note">
          {problem ?? (isLoading && value === undefined ? 'Loading…' : '')}
        </p>
        {repositories?.length === 0 ? (
          <section className="none-yet" aria-labelledby="no-repositories">
            <Icon name="graph" />
            <h2 id="no-repositories">No repository yet</h2>
            <p>
              Agents are markdown files in git. Once a repository is added, the platform looks at its branch from time
              to time and takes up what was committed. One file that is wrong harms no other.
            </p>
            {administers ? null : <p className="card-note">An administrator can add one.</p>}
          </section>
        ) : null}
        <ul className="repository-cards" aria-label="Repositories">
          {repositories?.map((one) => (
            <RepositoryCard key={one.name} repository={one} administers={administers} onChange={again} />
          ))}
        </ul>
        {isAdding ? <RepositoryForm onClose={() => setAdding(false)} onDone={again} /> : null}
      </div>
    </Page>
  );
}
