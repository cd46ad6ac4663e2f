import type { User } from '@stopgo/client';
import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import { apiKey, ownName, setOwnName } from './api/identity.ts';
import { platform } from './api/platform.ts';
import { isSignedIn } from './api/signed-in.ts';
import { wordsOf } from './api/words.ts';
import { signOut } from './state/session.ts';
import { setTheme, type Theme, useTheme } from './state/theme.ts';
import { Dialog } from './ui/dialog.tsx';
import { Link } from './ui/link.tsx';
import { Line } from './ui/text.tsx';

const themes: readonly (readonly [Theme, string])[] = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

export function Settings({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const theme = useTheme();
  return (
    <Dialog title="Settings" isOpen={isOpen} onClose={onClose}>
      <fieldset className="choices">
        <legend>Appearance</legend>
        {themes.map(([value, label]) => (
          <label key={value} className="check">
            <input type="radio" name="theme" checked={theme === value} onChange={() => setTheme(value)} />
            {label}
          </label>
        ))}
      </fieldset>
      {!isSignedIn() ? <Name /> : <SignedIn />}
      <p>
        <Link to="/accounts" onFollow={onClose}>
          Connected accounts
        </Link>
      </p>
    </Dialog>
  );
}

function Name() {
  const [name, setName] = useState(ownName());
  return (
    <label className="field">
      Your name
      <input
        value={name}
        maxLength={128}
        autoComplete="name"
        onChange={(event) => {
          setName(event.target.value);
          setOwnName(event.target.value.trim());
        }}
      />
      <span className="field-note">
        Goes on the record with your decisions, as a name that nobody has checked: nobody signs in here.
      </span>
    </label>
  );
}

function SignedIn() {
  const [me, setMe] = useState<User | null>(null);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    const left = new AbortController();
    platform.call('GET /me', { signal: left.signal }).then(
      ({ user }) => setMe(user),
      (error: unknown) => {
        if (!left.signal.aborted) setProblem(wordsOf(error));
      },
    );
    return () => left.abort();
  }, []);
  return (
    <div className="field">
      <span>
        You are signed in{me === null ? '' : ' as '}
        {me === null ? null : (
          <strong>
            <Line text={me.name === '' || me.name === me.email ? me.email : `${me.name} (${me.email})`} />
          </strong>
        )}
        {apiKey() === '' ? '' : ', with an API key, in this tab'}.
      </span>
      <p role="alert" className="problem">
        {problem}
      </p>
      <Button className="button" onPress={() => void signOut().catch((error: unknown) => setProblem(wordsOf(error)))}>
        Sign out
      </Button>
    </div>
  );
}
