import { useId } from 'react';
import { Block, Marked } from '../ui/text.tsx';
import { localTime } from './answer.ts';
import type { Choice, Field, Value } from './fields.ts';

/** So many choices are shown one below the other; more of them in a list that opens. */
const shownMax = 8;
/** Texts that may be longer than this get more than one line. */
const lineCharacters = 120;

type Given = {
  readonly field: Field;
  readonly value: Value;
  readonly problem: string | undefined;
  readonly onChange: (value: Value) => void;
};

/** One value of a form: what it is called, what it may be, and what is wrong with it. */
export function FieldInput({ field, value, problem, onChange }: Given) {
  const id = useId();
  const [noteId, problemId] = [`${id}-note`, `${id}-problem`];
  const { label, name, description, bounds, isRequired, kind } = field;
  const hasNote = description !== '' || bounds !== '';
  const about = [hasNote ? noteId : '', problem === undefined ? '' : problemId].filter((one) => one !== '').join(' ');
  const aboutIt = about === '' ? {} : { 'aria-describedby': about };
  const isWrong = problem === undefined ? undefined : true;
  const described = {
    ...aboutIt,
    ...(problem === undefined ? {} : { 'aria-invalid': true as const }),
  };
  const title = (
    <>
      <Marked text={label} />
      {label === name || label === 'Your answer' ? null : (
        <code className="field-name">
          <Marked text={name} />
        </code>
      )}
      {isRequired ? null : <span className="field-optional">may be left out</span>}
    </>
  );
  const rest = (
    <>
      {hasNote ? (
        <span id={noteId} className="field-note">
          {description === '' ? null : <Block text={description} />} {bounds}
        </span>
      ) : null}
      {problem === undefined ? null : (
        <span id={problemId} className="field-problem">
          <Block text={problem} />
        </span>
      )}
    </>
  );
  if (kind === 'text' || kind === 'number' || isLong(field))
    return (
      <div className="field">
        <label htmlFor={id}>{title}</label>
        <Written {...{ id, field, value, described, onChange }} />
        {rest}
      </div>
    );
  return (
    <fieldset className="field choices" {...aboutIt} data-invalid={isWrong}>
      <legend>{title}</legend>
      <Chosen {...{ id, field, value, onChange }} />
      {rest}
    </fieldset>
  );
}

const isLong = ({ kind, choices }: Field): boolean => kind === 'choice' && choices.length > shownMax;

type Described = { readonly 'aria-describedby'?: string; readonly 'aria-invalid'?: true };

/** A value that is written, or taken from a long list. */
function Written(given: Omit<Given, 'problem'> & { readonly id: string; readonly described: Described }) {
  const { id, field, value, described, onChange } = given;
  const text = typeof value === 'string' ? value : '';
  const { kind, format, charactersMax = Number.POSITIVE_INFINITY, isRequired, choices } = field;
  // Nothing is filled in by itself: the browser does not know who asks.
  const common = { ...described, id, autoComplete: 'off', 'aria-required': isRequired };
  if (kind === 'choice')
    return (
      <select {...common} value={text} onChange={(event) => onChange(event.target.value)}>
        <option value="">{isRequired ? 'Choose…' : 'No answer'}</option>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label === choice.value ? choice.label : `${choice.label} (${choice.value})`}
          </option>
        ))}
      </select>
    );
  const change = (event: { readonly target: { readonly value: string } }) => onChange(event.target.value);
  if (kind === 'number')
    return <input {...common} type="text" inputMode="decimal" value={text} spellCheck={false} onChange={change} />;
  if (format === 'date') return <input {...common} type="date" value={text} onChange={change} />;
  if (format === 'date-time')
    return <input {...common} type="datetime-local" step="1" value={zoneless(text)} onChange={change} />;
  // As plain text: a field for addresses would spell some of them anew.
  if (format === 'email' || format === 'uri')
    return (
      <input
        {...common}
        type="text"
        inputMode={format === 'email' ? 'email' : 'url'}
        spellCheck={false}
        autoCapitalize="off"
        value={text}
        onChange={change}
      />
    );
  return charactersMax <= lineCharacters ? (
    <input {...common} type="text" value={text} onChange={change} />
  ) : (
    <textarea {...common} rows={2} value={text} onChange={change} />
  );
}

/** What a schema has a field begin with may name a time zone; the field has none. */
const zoneless = (text: string): string => (/(?:z|[+-]\d\d:\d\d)$/i.test(text) ? localTime(text) : text);

/** A value that is chosen from what is shown. */
function Chosen({ id, field, value, onChange }: Omit<Given, 'problem'> & { readonly id: string }) {
  const { kind, choices, isRequired } = field;
  if (kind === 'choices') {
    const taken = typeof value === 'string' ? [] : value;
    // In the order of the schema, whatever was ticked first.
    const tick = (ticked: string, isTicked: boolean) =>
      onChange(choices.map((one) => one.value).filter((one) => (one === ticked ? isTicked : taken.includes(one))));
    return choices.map((choice) => (
      <Choose
        key={choice.value}
        choice={choice}
        type="checkbox"
        isChosen={taken.includes(choice.value)}
        onChange={(isTicked) => tick(choice.value, isTicked)}
      />
    ));
  }
  const offered = [
    ...(kind === 'boolean' ? yesOrNo : choices),
    ...(isRequired ? [] : [{ value: '', label: 'No answer' }]),
  ];
  return offered.map((choice) => (
    <Choose
      key={choice.value}
      choice={choice}
      type="radio"
      name={id}
      isPlain={kind === 'boolean' || choice.value === ''}
      isChosen={value === choice.value}
      onChange={() => onChange(choice.value)}
    />
  ));
}

const yesOrNo: readonly Choice[] = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];

/** One of several choices. Where its label is not what is sent, that stands beside it. */
function Choose(given: {
  readonly choice: Choice;
  readonly type: 'checkbox' | 'radio';
  readonly name?: string;
  readonly isPlain?: boolean;
  readonly isChosen: boolean;
  readonly onChange: (isChosen: boolean) => void;
}) {
  const { choice, type, name, isPlain = false, isChosen, onChange } = given;
  return (
    <label className="check">
      <input type={type} name={name} checked={isChosen} onChange={({ target }) => onChange(target.checked)} />
      <span>
        <Marked text={choice.label} />
        {isPlain || choice.label === choice.value ? null : (
          <code className="field-name">
            <Marked text={choice.value} />
          </code>
        )}
      </span>
    </label>
  );
}
