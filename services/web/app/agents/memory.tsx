import { exactText } from '@stopgo/client';
import { useId, useState } from 'react';
import { Button } from 'react-aria-components';
import { platform } from '../api/platform.ts';
import { useAnswer } from '../state/answer.ts';
import { isAdministrator, useMe } from '../state/me.ts';
import { Icon } from '../ui/icon.tsx';
import { Link } from '../ui/link.tsx';
import { Loaded } from '../ui/page.tsx';
import { count, Exact, Line, Marked } from '../ui/text.tsx';
import { Time, TimeLeft } from '../ui/time.tsx';
import { apiOf } from './places.ts';
import { Sure } from './sure.tsx';
import type { Memory } from './types.ts';

const itemsMax = 200;
/** How often it is looked what an agent remembers, in milliseconds: its runs save meanwhile. */
const refreshMs = 5_000;

type Answer = { readonly memories: readonly Memory[]; readonly total: number };

/** What an agent has saved for its later runs, by key, each value exactly as it is kept. */
export function MemoryList({ agent }: { readonly agent: string }) {
  const administers = isAdministrator(useMe());
  const [words, setWords] = useState('');
  const query = words.trim() === '' ? undefined : words.trim();
  const found = useAnswer<Answer>(apiOf(agent, '/memories', { query, limit: String(itemsMax) }), refreshMs);
  return (
    <>
      <p className="card-note">
        What this agent saves for its later runs, with <code>save_memory</code>. No other agent reads it. Whoever may
        read here sees it, whichever user it was saved for.
      </p>
      <label className="search">
        <Icon name="search" />
        <span className="visually-hidden">Search its memory</span>
        <input
          type="search"
          placeholder="Search keys and values"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      </label>
      <Loaded of={found}>
        {({ memories, total }) => (
          <>
            <p className="card-note" role="status">
              {total === 0
                ? query === undefined
                  ? 'It remembers nothing yet.'
                  : 'Nothing found.'
                : `${count(total, 'value')}${total > memories.length ? `; the first ${memories.length} are shown` : ''}`}
            </p>
            <ul className="memory-rows" aria-label="What it remembers">
              {memories.map((memory) => (
                <Remembered key={memory.key} {...{ agent, memory, administers }} onChange={found.again} />
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </>
  );
}

function Remembered(given: {
  readonly agent: string;
  readonly memory: Memory;
  readonly administers: boolean;
  readonly onChange: () => void;
}) {
  const { agent, memory, administers, onChange } = given;
  const { key, value, saved_at: at, saved_by: by, conversation_id: conversation, expires_at: until } = memory;
  const [isAsked, setAsked] = useState(false);
  const id = useId();
  return (
    <li className="memory-row" aria-labelledby={id}>
      <p className="memory-key" id={id}>
        <Marked text={key} />
      </p>
      <div className="memory-value">
        <Exact text={exactText(value)} label={key} />
      </div>
      <p className="agent-row-meta">
        <span>
          Saved by {by.kind === 'agent' ? 'the agent' : <Line text={by.id || by.kind} />}
          {by.claimed ? ' (unverified name)' : ''} <Time at={at} />
        </span>
        {conversation === null ? null : <Link to={`/c/${conversation}`}>The conversation that saved it</Link>}
        {until === null ? null : (
          <span>
            Expires: <TimeLeft until={until} />
          </span>
        )}
        {administers ? (
          <Button className="link-button danger" aria-describedby={id} onPress={() => setAsked(true)}>
            Forget…
          </Button>
        ) : null}
      </p>
      <Sure
        title="Have it forget this?"
        label="Yes, forget it"
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        act={() => forget(agent, memory, onChange)}
      >
        <p>
          <Line text={agent} /> will not find “<Marked text={key} />” any more, and it is not shown here. The record
          keeps what was saved, and so do the runs that have read it.
        </p>
        <div className="memory-value">
          <Exact text={exactText(value)} label={key} />
        </div>
      </Sure>
    </li>
  );
}

/** Forgets what is shown, and nothing that was saved meanwhile. @throws as the client does. */
async function forget(agent: string, { key, revision }: Memory, onChange: () => void): Promise<void> {
  try {
    await platform.connection.ask(apiOf(agent, `/memories/${encodeURIComponent(key)}`), {
      method: 'DELETE',
      headers: { 'If-Match': `"${revision}"` },
    });
  } finally {
    onChange();
  }
}
