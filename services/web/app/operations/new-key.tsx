import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { platform } from '../api/platform.ts';
import { noProblems, problemsOf } from './field-problems.ts';
import { FormField } from './form-field.tsx';
import { scopeWords } from './scopes.ts';
import type { User } from './types.ts';

const day = 86_400_000;
const lengths = [
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
  ['never', 'Never'],
] as const;

/**
 * Asks for what a key is to be, and makes it. With a key none is made that may more, or ends later: what that one may, and when it
 * ends, is given where it is known. `onDone` is given the text; undefined: none was made.
 */
export function NewKey(given: {
  readonly user: User;
  readonly scopes: readonly string[] | undefined;
  readonly until: string | null | undefined;
  readonly onDone: (text: string | undefined) => void;
}) {
  const { user, scopes, until, onDone } = given;
  const ends = endsOffered(until, Date.now());
  const [isNarrow, setNarrow] = useState(scopes !== undefined);
  const [problems, setProblems] = useState(noProblems);
  const [isSending, setSending] = useState(false);
  const make = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const body = {
      name: String(form.get('name') ?? ''),
      ...(isNarrow ? { scopes: form.getAll('scope').map(String) } : {}),
      ...endOf(String(form.get('ends')), until, Date.now()),
    };
    setSending(true);
    setProblems(noProblems);
    try {
      const { key } = await platform.call('POST /users/{user}/keys', { path: { user: user.id }, body });
      onDone(key.text);
    } catch (error) {
      setProblems(problemsOf(error, ['name', 'scopes', 'expires_at']));
      setSending(false);
    }
  };
  return (
    <form className="form panel" aria-label="New key" onSubmit={(event) => void make(event)}>
      <FormField label="What it is for" problem={problems.fields.name} note="Such as laptop, or the name of a program.">
        <input name="name" autoComplete="off" />
      </FormField>
      <fieldset className="choices">
        <legend>What may be done with it</legend>
        {scopes === undefined ? (
          <>
            <label className="check">
              <input type="radio" name="width" checked={!isNarrow} onChange={() => setNarrow(false)} />
              All that its user may
            </label>
            <label className="check">
              <input type="radio" name="width" checked={isNarrow} onChange={() => setNarrow(true)} />
              Only some of it
            </label>
          </>
        ) : null}
        {isNarrow ? (
          <div className="narrow">
            {Object.entries(scopeWords)
              .filter(([scope]) => scopes?.includes(scope) ?? true)
              .map(([scope, words]) => (
                <label key={scope} className="check">
                  <input type="checkbox" name="scope" value={scope} defaultChecked={scope === 'read'} />
                  {words.charAt(0).toUpperCase() + words.slice(1)}
                </label>
              ))}
          </div>
        ) : null}
        <p role="alert" className="problem">
          {problems.fields.scopes ?? ''}
        </p>
      </fieldset>
      <fieldset className="choices">
        <legend>When it ends</legend>
        {ends.map(([value, words]) => (
          <label key={value} className="check">
            <input
              type="radio"
              name="ends"
              value={value}
              defaultChecked={value === (typeof until === 'string' ? 'with' : '90')}
            />
            {words}
          </label>
        ))}
        <p role="alert" className="problem">
          {problems.fields.expires_at ?? ''}
        </p>
      </fieldset>
      <p role="alert" className="problem">
        {problems.other}
      </p>
      <div className="buttons">
        <Button type="submit" className="button primary" isDisabled={isSending}>
          Make the key
        </Button>
        <Button className="button quiet" onPress={() => onDone(undefined)}>
          Not now
        </Button>
      </div>
    </form>
  );
}

/** When a key may end that is made with one that ends then: not later. */
export function endsOffered(until: string | null | undefined, now: number): readonly (readonly [string, string])[] {
  if (until === null || until === undefined) return lengths;
  const on = new Date(until).toLocaleDateString(undefined, { dateStyle: 'medium' });
  const shorter = lengths.filter(([days]) => now + Number(days) * day < Date.parse(until) - day);
  return [...shorter, ['with', `With the key that you use now, on ${on}`]];
}

function endOf(chosen: string, until: string | null | undefined, now: number): { readonly expires_at?: string } {
  if (chosen === 'with' && typeof until === 'string') return { expires_at: until };
  return chosen === 'never' ? {} : { expires_at: new Date(now + Number(chosen) * day).toISOString() };
}

/** The text of a key, this once. */
export function ShownOnce({ text, onKept }: { readonly text: string; readonly onKept: () => void }) {
  const [isCopied, setCopied] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      // A page that came over plain http from another machine has no clipboard: it is chosen, for the keys of the system.
      field.current?.select();
    }
  };
  return (
    <section className="panel once" aria-label="The new key">
      <h3>Keep this key now</h3>
      <p>This is the only time that it is shown. Whoever has it decides as its user.</p>
      <div className="once-line">
        <input ref={field} aria-label="The key" readOnly value={text} onFocus={(event) => event.target.select()} />
        <Button className="button" onPress={() => void copy()}>
          Copy
        </Button>
      </div>
      <p role="status" className="panel-note">
        {isCopied ? 'Copied.' : ''}
      </p>
      <div className="buttons">
        <Button className="button primary" onPress={onKept}>
          I have kept it
        </Button>
      </div>
    </section>
  );
}
