import { useState } from 'react';
import { Button } from 'react-aria-components';
import { apiKey } from '../api/identity.ts';
import { platform } from '../api/platform.ts';
import { useAnswer } from '../state/answer.ts';
import type { Me } from '../state/me.ts';
import { AskFirst } from '../ui/ask-first.tsx';
import { Icon } from '../ui/icon.tsx';
import { Loaded } from '../ui/page.tsx';
import { Line } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import { NewKey, ShownOnce } from './new-key.tsx';
import { isInForce, isSelf, mayIssue, mayRevoke } from './roles.ts';
import { scopeWords } from './scopes.ts';
import type { ApiKey, User } from './types.ts';

const everyMs = 10_000;

/** The API keys of somebody: those that are taken first, without their texts, which nobody has. */
export function KeyList({ user, me }: { readonly user: User; readonly me: Me }) {
  const keys = useAnswer<{ readonly keys: readonly ApiKey[]; readonly next_cursor?: string }>(
    `/users/${user.id}/keys?limit=100`,
    everyMs,
  );
  const [step, setStep] = useState<'list' | 'new' | { readonly text: string }>('list');
  return (
    <section className="block" aria-labelledby="keys-title">
      <h2 id="keys-title">API keys</h2>
      <p className="lead">
        A key stands for its user: whoever has its text decides as them. Its text is shown once, when it is made.
      </p>
      {typeof step === 'object' ? <ShownOnce text={step.text} onKept={() => setStep('list')} /> : null}
      {step === 'new' ? (
        <NewKey
          user={user}
          scopes={me.kind === 'user' ? me.scopes : undefined}
          until={keys.value?.keys.find(isInUse)?.expires_at}
          onDone={(text) => {
            keys.again();
            setStep(text === undefined ? 'list' : { text });
          }}
        />
      ) : null}
      <Loaded of={keys}>
        {({ keys: all, next_cursor: next }) => {
          const sorted = all.toSorted((a, b) => Number(isInForce(b)) - Number(isInForce(a)));
          const others = all.filter(isInForce).length - 1;
          return (
            <>
              {step === 'list' && mayIssue(me, user, all) ? (
                <div className="buttons">
                  <Button className="button" onPress={() => setStep('new')}>
                    <Icon name="plus" /> {isSelf(me, user) ? 'New key' : 'New key to begin with'}
                  </Button>
                </div>
              ) : null}
              <ul className="panels">
                {sorted.map((key) => (
                  <li key={key.id}>
                    <OneKey {...{ apiKey: key, user, others, onRevoked: keys.again }} mayRevoke={mayRevoke(me, user)} />
                  </li>
                ))}
              </ul>
              {all.length === 0 ? <p className="calm">There is no key.</p> : null}
              {next === undefined ? null : <p className="calm">Only the first hundred are shown.</p>}
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

/** Whether it is the key that the app is signed in with. */
const isInUse = ({ prefix }: ApiKey): boolean => apiKey().startsWith(prefix);

function OneKey(given: {
  readonly apiKey: ApiKey;
  readonly user: User;
  /** Other keys of the user that are taken. */
  readonly others: number;
  readonly mayRevoke: boolean;
  readonly onRevoked: () => void;
}) {
  const { apiKey: key, user, others, onRevoked } = given;
  const { name, prefix, scopes, created_at: made, expires_at: ends, revoked_at: revoked, last_used_at: used } = key;
  const inForce = isInForce(key);
  const isOwn = isInUse(key);
  return (
    <article className={`panel ${inForce ? '' : 'over'}`} aria-label={`Key ${name}`}>
      <h3>
        <Line text={name} />
        {isOwn && inForce ? <span className="tag">you use it now</span> : null}
        {revoked === null ? null : <span className="tag bad">revoked</span>}
        {revoked === null && !inForce ? <span className="tag bad">over</span> : null}
      </h3>
      <p>
        <code>
          <Line text={prefix} />…
        </code>{' '}
        {scopes.length === 0
          ? 'may do all that its user may'
          : `may only: ${scopes.map((one) => scopeWords[one] ?? one).join('; ')}`}
      </p>
      <p className="panel-note">
        Made <Time at={made} />,{' '}
        {ends === null ? (
          'does not end'
        ) : (
          <>
            {inForce ? 'ends' : 'was to end'} {new Date(ends).toLocaleString(undefined, { dateStyle: 'medium' })}
          </>
        )}
        ,{' '}
        {used === null ? (
          'never used'
        ) : (
          <>
            used <Time at={used} />
          </>
        )}
        {revoked === null ? null : (
          <>
            , revoked <Time at={revoked} />
          </>
        )}
      </p>
      {given.mayRevoke && revoked === null ? (
        <AskFirst
          label="Revoke…"
          name={`Revoke the key ${name}`}
          tone="stop"
          yes={isOwn ? 'Yes, and sign me out' : 'Yes, revoke it'}
          means={
            <>
              <p>It is refused from now on, for ever.</p>
              {isOwn ? (
                <p>
                  <strong>You are signed in with this key: you will be signed out.</strong>{' '}
                  {others > 0
                    ? 'You have another key to come back with.'
                    : 'You have no other key: unless you sign in in another way, you do not get in again, and need a new user.'}
                </p>
              ) : others === 0 && inForce ? (
                <p>It is the last key of {user.name}: unless they sign in in another way, they do not get in again.</p>
              ) : null}
            </>
          }
          onYes={async () => {
            await platform.call('DELETE /users/{user}/keys/{key}', { path: { user: user.id, key: key.id } });
            onRevoked();
          }}
        />
      ) : null}
    </article>
  );
}
