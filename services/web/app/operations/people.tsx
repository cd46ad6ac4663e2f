import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useAnswer } from '../state/answer.ts';
import { isAdministrator, type Me } from '../state/me.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { Link } from '../ui/link.tsx';
import { Loaded } from '../ui/page.tsx';
import { Line } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import { NewUser } from './new-user.tsx';
import { PersonPage } from './person.tsx';
import { rolesGivenBy, roleWords } from './roles.ts';
import type { User } from './types.ts';

const everyMs = 10_000;

/** Who may sign in: for administrators all of them, for everybody else themselves. */
export function PeoplePage({ me }: { readonly me: Me }) {
  if (me.kind === 'unknown') return <p className="list-note">Loading…</p>;
  if (me.kind === 'nobody')
    return (
      <div className="operations">
        <p className="calm">
          <Icon name="person" /> Nobody signs in on this platform, so there are no users and no keys: write{' '}
          <code>auth: {'{}'}</code> into <code>config/agent.yaml</code> and restart it to have people sign in.
        </p>
      </div>
    );
  if (!isAdministrator(me, 'read')) return <PersonPage id={me.id} me={me} />;
  return <Users me={me} />;
}

type Page = { readonly users: readonly User[]; readonly total: number; readonly next_cursor?: string };

function Users({ me }: { readonly me: Me }) {
  const [isNew, setNew] = useState(false);
  const [pages, setPages] = useState(1);
  const mayCreate = rolesGivenBy(me).length > 0;
  return (
    <div className="operations">
      <section className="block" aria-labelledby="people-title">
        <div className="block-head">
          <h2 id="people-title">People</h2>
          {mayCreate ? (
            <Button className="button" onPress={() => setNew(true)}>
              <Icon name="plus" /> New user
            </Button>
          ) : null}
        </div>
        <UsersFrom cursor={undefined} pages={pages} me={me} onMore={() => setPages(pages + 1)} />
      </section>
      <Dialog title="New user" isOpen={isNew} onClose={() => setNew(false)}>
        <NewUser me={me} />
      </Dialog>
    </div>
  );
}

/** One page of users, and behind it as many as were asked for. */
function UsersFrom(given: {
  readonly cursor: string | undefined;
  readonly pages: number;
  readonly me: Me;
  readonly onMore: () => void;
}) {
  const { cursor, pages, me, onMore } = given;
  const at = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  const page = useAnswer<Page>(`/users?limit=100${at}`, everyMs);
  return (
    <Loaded of={page}>
      {({ users, next_cursor: next }) => (
        <>
          <ul className="people">
            {users.map((user) => (
              <li key={user.id}>
                <Link to={`/operations/people/${user.id}`} className="person">
                  <span className="person-name">
                    <Line text={user.name} />
                    {me.kind === 'user' && me.id === user.id ? <span className="tag">you</span> : null}
                    {user.active ? null : <span className="tag bad">switched off</span>}
                  </span>
                  <span className="person-email">
                    <Line text={user.email} />
                  </span>
                  <span className="person-role">{roleWords[user.role]}</span>
                  <span className="person-seen">
                    {user.last_login_at === null ? (
                      'no sign-in with a token'
                    ) : (
                      <>
                        signed in <Time at={user.last_login_at} />
                      </>
                    )}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
          {next === undefined ? null : pages > 1 ? (
            <UsersFrom cursor={next} pages={pages - 1} me={me} onMore={onMore} />
          ) : (
            <Button className="link-button" onPress={onMore}>
              Show more
            </Button>
          )}
        </>
      )}
    </Loaded>
  );
}
