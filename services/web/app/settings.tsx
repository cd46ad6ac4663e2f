import { useState } from 'react';
import { Button } from 'react-aria-components';
import { apiKey, ownName, setOwnName } from './api/identity.ts';
import { signOut } from './state/session.ts';
import { setTheme, type Theme, useTheme } from './state/theme.ts';
import { Dialog } from './ui/dialog.tsx';

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
      {apiKey() === '' ? <Name /> : <SignedIn />}
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
  return (
    <div className="field">
      You are signed in with an API key, in this tab.
      <Button className="button" onPress={signOut}>
        Sign out
      </Button>
    </div>
  );
}
