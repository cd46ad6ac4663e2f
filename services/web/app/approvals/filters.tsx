import { visibleLine } from '@stopgo/core/visible';
import { useEffect, useRef, useState } from 'react';
import { Button, ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import { claimedName, isSignedIn } from '../api/signed-in.ts';
import { Link } from '../ui/link.tsx';

/** What the inbox is narrowed to; the address says it. */
export type Filter = {
  readonly status: string;
  readonly mine: boolean;
  readonly overdue: boolean;
  /** To whom it is assigned: `me`, `none`, a name; empty for whomever. */
  readonly assignee: string;
  readonly tool: string;
  readonly server: string;
  readonly agent: string;
  /** Those of one conversation. */
  readonly conversation: string;
};

const statuses: readonly (readonly [string, string])[] = [
  ['pending', 'Waiting'],
  ['approved', 'Approved'],
  ['rejected', 'Rejected'],
  ['expired', 'Expired'],
  ['all', 'All'],
];

/** What is narrowed by a text, under the names of the list's own parameters. */
const texts = ['assignee', 'tool', 'server', 'agent', 'conversation'] as const;
type Texts = { readonly [Name in (typeof texts)[number]]: string };

const textsOf = (textOf: (name: (typeof texts)[number]) => string): Texts =>
  Object.fromEntries(texts.map((name) => [name, textOf(name)])) as Texts;

export function askedFor(query: string): Filter {
  const given = new URLSearchParams(query);
  return {
    status: given.get('status') ?? 'pending',
    // Who signs in sees what they may decide: of the conversations of others they may see nothing else.
    mine: isSignedIn() && given.get('mine') !== 'no',
    overdue: given.get('overdue') === 'yes',
    ...textsOf((name) => given.get(name) ?? ''),
  };
}

/** The filter as a part of an address of the app. */
function addressOf(filter: Filter): string {
  const { status, mine, overdue } = filter;
  const given = new URLSearchParams();
  if (status !== 'pending') given.set('status', status);
  if (!mine && isSignedIn()) given.set('mine', 'no');
  if (overdue) given.set('overdue', 'yes');
  for (const name of texts) if (filter[name] !== '') given.set(name, filter[name]);
  const text = given.toString();
  return text === '' ? '' : `?${text}`;
}

/** The filter in the parameters of the list. */
export function listQuery(filter: Filter): string {
  const { status, mine, overdue, tool } = filter;
  const given = new URLSearchParams();
  if (status !== 'all') given.set('status', status);
  // Of what is decided nobody may decide anything.
  if (mine && status === 'pending') given.set('may_decide', 'me');
  if (overdue) given.set('overdue', 'true');
  // A part of a name finds the tool as well.
  if (tool !== '') given.set('tool', /[*?]/.test(tool) ? tool : `*${tool}*`);
  for (const name of texts) if (name !== 'tool' && filter[name] !== '') given.set(name, filter[name]);
  return given.toString();
}

/** Typing is over when nothing was typed for so long, in milliseconds. */
const typingMs = 250;

export function Filters({
  filter,
  onChange,
}: {
  readonly filter: Filter;
  readonly onChange: (address: string) => void;
}) {
  const change = (part: Partial<Filter>) => onChange(addressOf({ ...filter, ...part }));
  // Where nobody signs in, `me` is whoever has the name of the settings.
  const me = isSignedIn() ? 'me' : claimedName();
  return (
    <div className="filters">
      <ToggleButtonGroup
        aria-label="Which approvals"
        className="segments"
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[filter.status]}
        onSelectionChange={(keys) => change({ status: String([...keys][0] ?? 'pending') })}
      >
        {statuses.map(([value, label]) => (
          <ToggleButton key={value} id={value} className="segment">
            {label}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      <div className="filter-line">
        <TextFilter label="Tool" value={filter.tool} onChange={(tool) => change({ tool })} />
        {!isSignedIn() || filter.status !== 'pending' ? null : (
          <label className="check">
            <input type="checkbox" checked={filter.mine} onChange={(event) => change({ mine: event.target.checked })} />
            I may decide
          </label>
        )}
        <label className="check">
          <input
            type="checkbox"
            checked={filter.overdue}
            onChange={(event) => change({ overdue: event.target.checked })}
          />
          Overdue
        </label>
      </div>
      <details className="more-filters" open={areMoreUsed(filter) || undefined}>
        <summary>More filters</summary>
        <div className="filter-line">
          <label className="filter-select">
            <span>Assigned to</span>
            <select value={filter.assignee} onChange={(event) => change({ assignee: event.target.value })}>
              <option value="">Whomever</option>
              {me === '' ? null : <option value={me}>Me</option>}
              <option value="none">Nobody</option>
              {['', 'none', me].includes(filter.assignee) ? null : (
                <option value={filter.assignee}>{visibleLine(filter.assignee)}</option>
              )}
            </select>
          </label>
          <TextFilter label="Server" value={filter.server} onChange={(server) => change({ server })} />
          <TextFilter label="Agent" value={filter.agent} onChange={(agent) => change({ agent })} />
        </div>
        {filter.conversation === '' ? null : (
          <p>
            Those of <Link to={`/c/${filter.conversation}`}>one conversation</Link>.{' '}
            <Button className="link-button" onPress={() => change({ conversation: '' })}>
              Show those of all
            </Button>
          </p>
        )}
      </details>
    </div>
  );
}

const areMoreUsed = ({ assignee, server, agent, conversation }: Filter): boolean =>
  [assignee, server, agent, conversation].some((one) => one !== '');

/** A text that the list is narrowed by, once typing is over. */
function TextFilter(given: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const { label, value, onChange } = given;
  const [text, setText] = useState(value);
  const tell = useRef(onChange);
  tell.current = onChange;
  useEffect(() => {
    if (text === value) return undefined;
    const timer = setTimeout(() => tell.current(text), typingMs);
    return () => clearTimeout(timer);
  }, [text, value]);
  return (
    <label className="filter-field">
      <span className="visually-hidden">{label}</span>
      <input placeholder={label} value={text} onChange={(event) => setText(event.target.value)} />
    </label>
  );
}
