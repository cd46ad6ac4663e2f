import { type FormEvent, useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import { apiKey } from './api/identity.ts';
import { loginState, whoIsThere } from './api/login.ts';
import { wordsOf } from './api/words.ts';
import { goToSignIn, signIn, signOut } from './state/session.ts';
import { Mark } from './ui/icon.tsx';
import { Line } from './ui/text.tsx';

/** Asks for what shows who somebody is, where the platform wants to know. `why`: what it says of who was signed in. */
export function SignIn({ why, onSignedIn }: { readonly why: string; readonly onSignedIn: () => void }) {
  const { login } = loginState();
  const [usesKey, setUsesKey] = useState(login === null);
  return (
    <main className="sign-in">
      <div className="sign-in-box">
        <Mark />
        <h1>Who are you?</h1>
        {login === null ? null : <WithProvider name={login} why={why} />}
        {usesKey ? <WithKey onSignedIn={onSignedIn} /> : null}
        {usesKey ? null : (
          <Button className="link-button" onPress={() => setUsesKey(true)}>
            Use an API key instead
          </Button>
        )}
      </div>
    </main>
  );
}

function WithProvider({ name, why }: { readonly name: string; readonly why: string }) {
  const [problem, setProblem] = useState(apiKey() === '' ? why : '');
  // Somebody may have signed in in another tab meanwhile.
  useEffect(() => {
    const look = async () => {
      if (document.visibilityState !== 'visible' || apiKey() !== '') return;
      const there = await whoIsThere();
      if (typeof there === 'string' && there !== loginState().person) location.reload();
    };
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return (
    <>
      <p>You sign in where your organisation has you do so, and come back to where you were.</p>
      <p role="alert" className="problem">
        {problem === '' ? '' : <Line text={wordsOf(problem)} />}
      </p>
      <Button className="button primary" onPress={goToSignIn}>
        Sign in with {name}
      </Button>
      {loginState().person === null ? null : (
        <Button className="button" onPress={() => void signOut().catch((error: unknown) => setProblem(wordsOf(error)))}>
          Sign out
        </Button>
      )}
    </>
  );
}

function WithKey({ onSignedIn }: { readonly onSignedIn: () => void }) {
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
    <form onSubmit={submit}>
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
        {loginState().login === null ? 'Sign in' : 'Sign in with the key'}
      </Button>
    </form>
  );
}
