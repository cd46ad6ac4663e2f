import { useEffect, useState } from 'react';
import { ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import { apiKey } from '../api/identity.ts';

/** What the inbox is narrowed to; the address says it. */
export type Filter = {
  readonly status: string;
  readonly mine: boolean;
  readonly overdue: boolean;
  readonly tool: string;
};

const statuses: readonly (readonly [string, string])[] = [
  ['pending', 'Waiting'],
  ['approved', 'Approved'],
  ['rejected', 'Rejected'],
  ['expired', 'Expired'],
  ['all', 'All'],
];

export function askedFor(query: string): Filter {
  const given = new URLSearchParams(query);
  return {
    status: given.get('status') ?? 'pending',
    mine: given.get('mine') === 'yes',
    overdue: given.get('overdue') === 'yes',
    tool: given.get('tool') ?? '',
  };
}

/** The filter as a part of an address of the app. */
function addressOf({ status, mine, overdue, tool }: Filter): string {
  const given = new URLSearchParams();
  if (status !== 'pending') given.set('status', status);
  if (mine) given.set('mine', 'yes');
  if (overdue) given.set('overdue', 'yes');
  if (tool !== '') given.set('tool', tool);
  const text = given.toString();
  return text === '' ? '' : `?${text}`;
}

/** The filter in the parameters of the list. */
export function listQuery({ status, mine, overdue, tool }: Filter): string {
  const given = new URLSearchParams();
  if (status !== 'all') given.set('status', status);
  if (mine && apiKey() !== '') given.set('may_decide', 'me');
  if (overdue) given.set('overdue', 'true');
  // A part of a name finds the tool as well.
  if (tool !== '') given.set('tool', /[*?]/.test(tool) ? tool : `*${tool}*`);
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
  const [tool, setTool] = useState(filter.tool);
  useEffect(() => {
    if (tool === filter.tool) return;
    const timer = setTimeout(() => onChange(addressOf({ ...filter, tool })), typingMs);
    return () => clearTimeout(timer);
  }, [tool, filter, onChange]);
  return (
    <div className="filters">
      <ToggleButtonGroup
        aria-label="Which approvals"
        className="segments"
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[filter.status]}
        onSelectionChange={(keys) => onChange(addressOf({ ...filter, status: String([...keys][0] ?? 'pending') }))}
      >
        {statuses.map(([value, label]) => (
          <ToggleButton key={value} id={value} className="segment">
            {label}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      <div className="filter-line">
        <label className="filter-field">
          <span className="visually-hidden">Tool</span>
          <input placeholder="Tool" value={tool} onChange={(event) => setTool(event.target.value)} />
        </label>
        {apiKey() === '' ? null : (
          <label className="check">
            <input
              type="checkbox"
              checked={filter.mine}
              onChange={(event) => onChange(addressOf({ ...filter, mine: event.target.checked }))}
            />
            I may decide
          </label>
        )}
        <label className="check">
          <input
            type="checkbox"
            checked={filter.overdue}
            onChange={(event) => onChange(addressOf({ ...filter, overdue: event.target.checked }))}
          />
          Overdue
        </label>
      </div>
    </div>
  );
}
