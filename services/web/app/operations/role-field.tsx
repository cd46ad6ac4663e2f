import { roleMeans, roleWords } from './roles.ts';
import type { Role } from './types.ts';

/** The roles that may be given, each with what it may. */
export function RoleField(given: {
  readonly roles: readonly Role[];
  readonly role: Role;
  readonly problem: string | undefined;
  readonly onChange: (role: Role) => void;
}) {
  const { roles, role, problem = '', onChange } = given;
  return (
    <fieldset className="choices">
      <legend>Role</legend>
      {roles.map((one) => (
        <label key={one} className="choice">
          <input type="radio" name="role" checked={one === role} onChange={() => onChange(one)} />
          <span>
            {roleWords[one]}
            <span className="field-note">{roleMeans[one]}</span>
          </span>
        </label>
      ))}
      <p role="alert" className="problem">
        {problem}
      </p>
    </fieldset>
  );
}
