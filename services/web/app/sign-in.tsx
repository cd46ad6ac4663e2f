import { type FormEvent, useState } from 'react';
import { Button } from 'react-aria-components';
import { wordsOf } from './api/client.ts';
import { apiKey } from './api/identity.ts';
import { signIn } from './state/session.ts';
import { Mark } from './ui/icon.tsx';

/** Asks for what shows who somebody is, where the platform wants to know. */
export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState(apiKey() === '' ? '' : 'That key is not taken.');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setProblem('');
    try {
      if (await signIn(key.trim())) onSignedIn();
    } catch (error) {
      setProblem(wordsOf(error));
    }
  };
  return (
    <main className="sign-in">
      <form onSubmit={submit}>
        <Mark />
        <h1>Who are you?</h1>
        <p>This platform lets people in with an API key of their own. Whoever runs it gives you one.</p>
        <label className="field">
          API key
          <input
            type="password"
            autoComplete="current-password"
            spellCheck={false}
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
          <span className="field-note">It is kept for this tab alone, and is gone when you close it.</span>
        </label>
        <p role="alert" className="problem">
          {problem}
        </p>
        <Button type="submit" className="button primary" isDisabled={key.trim() === ''}>
          Sign in
        </Button>
      </form>
    </main>
  );
}
