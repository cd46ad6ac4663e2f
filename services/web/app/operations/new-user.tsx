import { type FormEvent, useState } from 'react';
import { Button } from 'react-aria-components';
import { platform } from '../api/platform.ts';
import type { Me } from '../state/me.ts';
import { go } from '../state/place.ts';
import { noProblems, problemsOf } from './field-problems.ts';
import { FormField } from './form-field.tsx';
import { RoleField } from './role-field.tsx';
import { rolesGivenBy } from './roles.ts';
import type { Role } from './types.ts';

/** Asks for who a new user is, makes them, and goes there. */
export function NewUser({ me }: { readonly me: Me }) {
  const [problems, setProblems] = useState(noProblems);
  const [role, setRole] = useState<Role>('USER');
  const [isSending, setSending] = useState(false);
  const create = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setSending(true);
    setProblems(noProblems);
    try {
      const body = { email: String(form.get('email') ?? ''), name: String(form.get('name') ?? ''), role };
      const { user } = await platform.call('POST /users', { body });
      go(`/operations/people/${user.id}`);
    } catch (error) {
      setProblems(problemsOf(error, ['email', 'name', 'role']));
      setSending(false);
    }
  };
  return (
    <form className="form" onSubmit={(event) => void create(event)}>
      <FormField
        label="E-mail address"
        problem={problems.fields.email}
        note="It never changes: people are known by it."
      >
        <input name="email" type="text" inputMode="email" autoComplete="off" spellCheck={false} />
      </FormField>
      <FormField label="Name" problem={problems.fields.name}>
        <input name="name" autoComplete="off" />
      </FormField>
      <RoleField roles={rolesGivenBy(me)} role={role} onChange={setRole} problem={problems.fields.role} />
      <p role="alert" className="problem">
        {problems.other}
      </p>
      <div className="buttons">
        <Button type="submit" className="button primary" isDisabled={isSending}>
          Create the user
        </Button>
      </div>
    </form>
  );
}
