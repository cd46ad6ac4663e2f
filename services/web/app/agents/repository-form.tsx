import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { platform } from '../api/platform.ts';
import { Dialog } from '../ui/dialog.tsx';
import { bodyOf, type FieldName, type Fields, fieldsOf, problemOf } from './repository-fields.ts';
import type { Repository } from './types.ts';

/** Adds a repository, or changes one. What the platform does not take is told at the field that it is about. */
export function RepositoryForm(given: {
  readonly repository?: Repository;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const { repository, onClose, onDone } = given;
  const [fields, setFields] = useState(() => fieldsOf(repository));
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<ReturnType<typeof problemOf>>();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (problem?.field !== undefined) form.current?.querySelector<HTMLElement>(`[name="${problem.field}"]`)?.focus();
  }, [problem]);
  const body = bodyOf(fields, repository);
  const isSame = repository !== undefined && Object.keys(body).length === 0;
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setSending(true);
    setProblem(undefined);
    try {
      await (repository === undefined
        ? platform.connection.ask('/repositories', { body })
        : platform.connection.ask(`/repositories/${encodeURIComponent(repository.name)}`, { method: 'PATCH', body }));
      onDone();
      onClose();
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setSending(false);
    }
  };
  const set = <Name extends FieldName>(name: Name, value: Fields[Name]) =>
    setFields((before) => ({ ...before, [name]: value }));
  const text = (name: FieldName, label: string, more: Partial<TextGiven> = {}) => (
    <Text
      {...{ name, label, problem: problem?.field === name ? problem.text : undefined, ...more }}
      value={String(fields[name])}
      onChange={(value) => set(name, value)}
    />
  );
  const isNew = repository === undefined;
  const wantsSecret = fields.auth_type === 'token' || fields.auth_type === 'ssh-key';
  const isAtField = problem?.field !== undefined && form.current?.querySelector(`[name="${problem.field}"]`) !== null;
  return (
    <Dialog title={isNew ? 'Add a repository' : `Change ${repository.name}`} isOpen isWide onClose={onClose}>
      <form ref={form} className="repository-form" onSubmit={(event) => void send(event)} noValidate>
        {isNew ? (
          <>
            {text('name', 'Name', { note: 'A letter, then letters, digits, _ or -.' })}
            {text('git_url', 'Address', { note: 'Such as https://github.com/company/agents.git' })}
          </>
        ) : null}
        <div className="two-fields">
          {text('branch', 'Branch', {})}
          {text('sync_interval', 'Look at it every', { note: '1s to 24h' })}
        </div>
        {isNew ? (
          <label className="check">
            <input
              type="checkbox"
              checked={fields.is_root}
              onChange={(event) => set('is_root', event.target.checked)}
            />
            Its agents have no prefix
            <span className="field-note">
              {fields.is_root ? '(support/billing)' : `(${fields.name.trim() || 'name'}/support/billing)`}
            </span>
          </label>
        ) : (
          <label className="check">
            <input
              type="checkbox"
              checked={fields.is_active}
              onChange={(event) => set('is_active', event.target.checked)}
            />
            It is looked at, and its agents can be found
          </label>
        )}
        <Choice
          {...{ name: 'auth_type', label: 'How it is reached', value: fields.auth_type }}
          problem={problem?.field === 'auth_type' ? problem.text : undefined}
          choices={[
            ...(isNew ? [] : ([['keep', 'As it is now']] as const)),
            ['none', 'Without signing in'],
            ['token', 'With an access token'],
            ['ssh-key', 'With an SSH key'],
          ]}
          onChange={(value) => set('auth_type', value)}
        />
        {wantsSecret
          ? text('secret', fields.auth_type === 'token' ? 'Access token' : 'Private key, without a passphrase', {
              isSecret: true,
              isLong: fields.auth_type === 'ssh-key',
              note: 'It is sealed, and never shown again.',
            })
          : null}
        <Choice
          {...{ name: 'webhooks', label: 'Webhooks of its host', value: fields.webhooks }}
          choices={[
            ...(isNew ? [] : ([['keep', 'As it is now']] as const)),
            ['none', 'Not taken'],
            ['set', 'Taken with this secret'],
          ]}
          onChange={(value) => set('webhooks', value)}
        />
        {fields.webhooks === 'set'
          ? text('webhook_secret', 'Secret of the webhooks', {
              isSecret: true,
              note: 'It is sealed, and never shown again.',
            })
          : null}
        <p role="alert" className="problem">
          {problem === undefined || isAtField ? '' : problem.text}
        </p>
        <div className="buttons">
          <Button type="submit" className="button primary" isDisabled={isSending || isSame}>
            {isSending ? 'Sending…' : isNew ? 'Add it' : 'Change it'}
          </Button>
          <Button className="button quiet" onPress={onClose}>
            Leave it
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

type TextGiven = {
  readonly name: FieldName;
  readonly label: string;
  readonly value: string;
  readonly note?: string;
  readonly problem?: string | undefined;
  readonly isSecret?: boolean;
  readonly isLong?: boolean;
  readonly onChange: (value: string) => void;
};

function Text({ name, label, value, note, problem, isSecret = false, isLong = false, onChange }: TextGiven) {
  const [id, own] = [useId(), useId()];
  const shared = {
    ...{ id: own, name, value, autoComplete: isSecret ? 'off' : undefined, spellCheck: false },
    'aria-invalid': problem === undefined ? undefined : (true as const),
    'aria-describedby': problem === undefined && note === undefined ? undefined : id,
    onChange: (event: { readonly target: { readonly value: string } }) => onChange(event.target.value),
  };
  return (
    <div className="field">
      <label htmlFor={own}>{label}</label>
      {isLong ? (
        <textarea rows={5} className="code-area" {...shared} />
      ) : (
        <input type={isSecret ? 'password' : 'text'} {...shared} />
      )}
      <Below id={id} note={note} problem={problem} />
    </div>
  );
}

function Choice(given: {
  readonly name: FieldName;
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [string, string])[];
  readonly problem?: string | undefined;
  readonly onChange: (value: string) => void;
}) {
  const { name, label, value, choices, problem, onChange } = given;
  const [id, own] = [useId(), useId()];
  return (
    <div className="field">
      <label htmlFor={own}>{label}</label>
      <select
        id={own}
        name={name}
        value={value}
        aria-invalid={problem === undefined ? undefined : true}
        aria-describedby={problem === undefined ? undefined : id}
        onChange={(event) => onChange(event.target.value)}
      >
        {choices.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
      <Below id={id} problem={problem} />
    </div>
  );
}

function Below({ id, note, problem }: { readonly id: string; readonly note?: string; readonly problem?: ReactNode }) {
  if (problem === undefined && note === undefined) return null;
  return (
    <span id={id} className={problem === undefined ? 'field-note' : 'field-note problem'}>
      {problem ?? note}
    </span>
  );
}
