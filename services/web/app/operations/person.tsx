import { type FormEvent, useState } from 'react';
import { Button } from 'react-aria-components';
import { platform } from '../api/platform.ts';
import { useAnswer } from '../state/answer.ts';
import { isAdministrator, type Me } from '../state/me.ts';
import { AskFirst } from '../ui/ask-first.tsx';
import { Icon } from '../ui/icon.tsx';
import { Link } from '../ui/link.tsx';
import { Loaded } from '../ui/page.tsx';
import { Line } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import { noProblems, problemsOf } from './field-problems.ts';
import { FormField } from './form-field.tsx';
import { KeyList } from './keys.tsx';
import { RoleField } from './role-field.tsx';
import { isSelf, mayChange, rolesGivenBy, roleWords } from './roles.ts';
import type { User } from './types.ts';

const everyMs = 10_000;

/** One user: who they are, what may be changed of them, and their keys. */
export function PersonPage({ id, me }: { readonly id: string; readonly me: Me }) {
  const found = useAnswer<{ readonly user: User }>(`/users/${encodeURIComponent(id)}`, everyMs);
  return (
    <div className="operations">
      {isAdministrator(me, 'read') ? (
        <Link to="/operations/people" className="button quiet to-list">
          <Icon name="back" /> All people
        </Link>
      ) : null}
      <Loaded of={found}>
        {({ user }) => (
          <>
            <section className="block" aria-labelledby="person-title">
              <h2 id="person-title">
                <Line text={user.name} />
                {isSelf(me, user) ? <span className="tag">you</span> : null}
                {user.active ? null : <span className="tag bad">switched off</span>}
              </h2>
              <dl className="facts">
                <div>
                  <dt>E-mail address</dt>
                  <dd>
                    <Line text={user.email} />
                  </dd>
                </div>
                <div>
                  <dt>Role</dt>
                  <dd>{roleWords[user.role]}</dd>
                </div>
                {user.groups.length === 0 ? null : (
                  <div>
                    <dt>Groups</dt>
                    <dd>
                      <Line text={user.groups.join(', ')} />
                    </dd>
                  </div>
                )}
                <div>
                  <dt>Made</dt>
                  <dd>
                    <Time at={user.created_at} />
                  </dd>
                </div>
              </dl>
              {mayChange(me, user) ? (
                <Changes key={`${user.name} ${user.role} ${user.active}`} user={user} me={me} onChanged={found.again} />
              ) : null}
            </section>
            <KeyList user={user} me={me} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function Changes({ user, me, onChanged }: { readonly user: User; readonly me: Me; readonly onChanged: () => void }) {
  const [name, setName] = useState(user.name);
  const [role, setRole] = useState(user.role);
  const [problems, setProblems] = useState(noProblems);
  const isOwn = isSelf(me, user);
  const roles = rolesGivenBy(me);
  const change = async (body: object) => {
    await platform.connection.ask(`/users/${user.id}`, { method: 'PATCH', body });
    onChanged();
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setProblems(noProblems);
    try {
      await change({
        ...(name === user.name ? {} : { name }),
        ...(role === user.role ? {} : { role }),
      });
    } catch (error) {
      setProblems(problemsOf(error, ['name', 'role']));
    }
  };
  return (
    <>
      <form className="form panel" onSubmit={(event) => void save(event)}>
        <FormField label="Name" problem={problems.fields.name}>
          <input value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
        </FormField>
        {isOwn || roles.length < 2 ? null : (
          <RoleField roles={roles} role={role} onChange={setRole} problem={problems.fields.role} />
        )}
        <p role="alert" className="problem">
          {problems.other}
        </p>
        <div className="buttons">
          <Button type="submit" className="button primary" isDisabled={name === user.name && role === user.role}>
            Save
          </Button>
        </div>
      </form>
      {isOwn ? (
        <p className="panel-note">
          Nobody changes their own role or switches themselves off, so that there is always somebody left. Another
          administrator can.
        </p>
      ) : user.active ? (
        <AskFirst
          label="Switch off…"
          name={`Switch off ${user.email}`}
          tone="stop"
          yes="Yes, switch them off"
          means={<p>Their keys and their sign-ins are refused from now on. Nothing that they did is undone.</p>}
          onYes={() => change({ active: false })}
        />
      ) : (
        <AskFirst
          label="Let back in…"
          name={`Let back in ${user.email}`}
          tone="go"
          yes="Yes, let them in"
          means={<p>Their keys that have not ended, and their sign-ins, are taken again.</p>}
          onYes={() => change({ active: true })}
        />
      )}
    </>
  );
}
