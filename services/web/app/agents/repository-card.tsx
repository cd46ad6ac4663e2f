import { useId, useState } from 'react';
import { Button } from 'react-aria-components';
import { platform } from '../api/platform.ts';
import { changeProblem } from '../ui/ask-first.tsx';
import { Icon } from '../ui/icon.tsx';
import { Link } from '../ui/link.tsx';
import { Block, count, Line } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import { Hash } from './agent-row.tsx';
import { agentsPlace } from './places.ts';
import { RepositoryForm } from './repository-form.tsx';
import { Sure } from './sure.tsx';
import type { Repository } from './types.ts';

/** How a repository stands, in a few words. */
function stateOf({ is_active: isActive, last_sync_status: status, last_failure: failure }: Repository) {
  if (!isActive) return { tone: 'off', text: 'Switched off' } as const;
  if (status === 'IN_PROGRESS') return { tone: 'work', text: 'Syncing…' } as const;
  if (failure !== null) return { tone: 'bad', text: 'Cannot be synced' } as const;
  return status === 'NEVER_SYNCED'
    ? ({ tone: 'wait', text: 'Not synced yet' } as const)
    : ({ tone: 'approved', text: 'In step' } as const);
}

export function RepositoryCard(given: {
  readonly repository: Repository;
  readonly administers: boolean;
  readonly onChange: () => void;
}) {
  const { repository, administers, onChange } = given;
  const { name, branch, git_url: url, is_root: isRoot, last_sync_at: at, last_sync_commit: commit } = repository;
  const id = useId();
  const state = stateOf(repository);
  return (
    <li className="panel" aria-labelledby={id}>
      <header className="repository-head">
        <h2 id={id}>
          <Line text={name} />
        </h2>
        <span className={`dot ${state.tone}`} role="status">
          {state.text}
        </span>
      </header>
      <Failure repository={repository} />
      <dl className="facts">
        <div>
          <dt>Address</dt>
          <dd>
            <Line text={url} />
          </dd>
        </div>
        <div>
          <dt>Branch</dt>
          <dd>{repository.worktree ? 'The folder as it is, committed or not' : <Line text={branch} />}</dd>
        </div>
        <div>
          <dt>Synced last</dt>
          <dd>
            {at === null ? 'Never' : <Time at={at} />}
            {commit === null ? null : (
              <>
                , <Hash commit={commit} />
              </>
            )}
            , every {repository.sync_interval}
            {repository.takes_webhooks ? ' and at each push' : ''}
          </dd>
        </div>
        <div>
          <dt>Agents</dt>
          <dd>
            {repository.agent_count === 0 ? (
              'None'
            ) : (
              <Link to={`${agentsPlace}?${new URLSearchParams({ repository: name })}`}>
                {count(repository.agent_count, 'agent')}
              </Link>
            )}
            {isRoot ? ', called as their files are' : ', whose names begin with '}
            {isRoot ? null : (
              <code>
                <Line text={`${name}/`} />
              </code>
            )}
          </dd>
        </div>
      </dl>
      <FileErrors repository={repository} />
      {administers ? (
        <Actions repository={repository} onChange={onChange} />
      ) : repository.is_configured ? null : (
        <p className="card-note">Administrators change it.</p>
      )}
    </li>
  );
}

/** Why it cannot be synced. What was taken up before stays usable. */
function Failure({ repository: { last_failure: failure, agent_count: agents, is_active: isActive } }: Of) {
  if (failure === null || !isActive) return null;
  return (
    <div className="sync-failure" role="status">
      <p>
        <strong>
          <Block text={sentence(failure.message)} />
        </strong>
      </p>
      <p>
        Since <Time at={failure.timestamp} />. The platform tries again by itself.{' '}
        {agents === 0 ? '' : 'The agents that it knows stay usable as they were.'}
      </p>
    </div>
  );
}

type Of = { readonly repository: Repository };

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? '' : '.'}`;

/** What is wrong in single files, and where. */
function FileErrors({ repository: { sync_errors: errors, sync_error_count: total } }: Of) {
  if (total === 0) return null;
  return (
    <section className="file-errors" aria-label="Files that are wrong">
      <p className="file-errors-title">
        <Icon name="warn" /> {count(total, 'file problem')}. Each file that is wrong is left out; the others work.
      </p>
      <ul>
        {errors.map(({ file_path: path, line, column, message }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one file may have the same problem twice
          <li key={index}>
            <code>
              <Line text={path} />
              {line === null ? '' : `:${line}`}
              {line === null || column === null ? '' : `:${column}`}
            </code>
            <span>
              <Line text={message} />
            </span>
          </li>
        ))}
      </ul>
      {total > errors.length ? <p className="card-note">and {count(total - errors.length, 'more problem')}</p> : null}
    </section>
  );
}

/** What administrators may do with it. */
function Actions({ repository, onChange }: Of & { readonly onChange: () => void }) {
  const { name, is_configured: isConfigured, is_active: isActive, last_sync_status: status } = repository;
  const [isSyncing, setSyncing] = useState(false);
  const [problem, setProblem] = useState('');
  const [opened, setOpened] = useState<'change' | 'remove'>();
  const sync = async (): Promise<void> => {
    setSyncing(true);
    setProblem('');
    try {
      await platform.call('POST /repositories/{name}/sync', { path: { name } });
    } catch (error) {
      setProblem(changeProblem(error));
    } finally {
      setSyncing(false);
      onChange();
    }
  };
  // What it says of itself is newer than what this button was told.
  const isTold = problem !== '' && repository.last_failure !== null;
  return (
    <footer className="repository-actions">
      <div className="buttons">
        <Button
          className="button"
          isDisabled={isSyncing || !isActive || status === 'IN_PROGRESS'}
          onPress={() => void sync()}
        >
          {isSyncing ? 'Syncing…' : 'Sync now'}
        </Button>
        {isConfigured ? null : (
          <>
            <Button className="button quiet" onPress={() => setOpened('change')}>
              <Icon name="pen" /> Change…
            </Button>
            <Button className="button quiet" onPress={() => setOpened('remove')}>
              Remove…
            </Button>
          </>
        )}
      </div>
      <p role="alert" className="problem">
        {isTold ? '' : problem}
      </p>
      {isConfigured ? (
        <p className="card-note">
          It stands in the configuration of the platform (<code>agent_repositories</code>): change or remove it there,
          and restart.
        </p>
      ) : null}
      {opened === 'change' ? (
        <RepositoryForm repository={repository} onClose={() => setOpened(undefined)} onDone={onChange} />
      ) : null}
      <Sure
        title="Remove this repository?"
        label="Yes, remove it"
        isOpen={opened === 'remove'}
        onClose={() => setOpened(undefined)}
        act={async () => {
          await platform.call('DELETE /repositories/{name}', { path: { name } });
          onChange();
        }}
      >
        <p>
          {repository.agent_count === 0 ? (
            'It has no agents now.'
          ) : (
            <>
              {count(repository.agent_count, 'agent')} of <Line text={name} /> cannot be found any more, and nobody can
              start a conversation with them.
            </>
          )}{' '}
          Runs that have begun go on to their end. Nothing in the repository itself is changed, and it can be added
          again.
        </p>
      </Sure>
    </footer>
  );
}
