import { exactText } from '@stopgo/client';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import manual from '../../../../docs/operations.md?raw';
import { Icon } from '../ui/icon.tsx';
import { count, Exact, Line } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import { knownLines, wordsFor } from './alarm-words.ts';
import type { Alarm } from './types.ts';

const known = knownLines(manual);

/** So many are shown before somebody asks for the older ones. */
const shownFirst = 5;

/** What the processes have written that somebody should look at: the newest first, each with what it means and what to do. */
export function AlarmList({ alarms }: { readonly alarms: readonly Alarm[] }) {
  const [isAll, setAll] = useState(false);
  if (alarms.length === 0)
    return (
      <p className="calm">
        <Icon name="check" /> No alarm. No process has written a line that somebody should look at since it started.
      </p>
    );
  const rest = alarms.length - shownFirst;
  return (
    <>
      <ul className="panels">
        {alarms.slice(0, isAll ? undefined : shownFirst).map((alarm) => (
          <li key={`${alarm.instance} ${alarm.level} ${alarm.message}`}>
            <OneAlarm alarm={alarm} />
          </li>
        ))}
      </ul>
      {isAll || rest <= 0 ? null : (
        <Button className="link-button" onPress={() => setAll(true)}>
          Show {count(rest, 'older alarm')}
        </Button>
      )}
    </>
  );
}

function OneAlarm({ alarm }: { readonly alarm: Alarm }) {
  const { level, message, fields, count: times, first_at: first, last_at: last, service, instance } = alarm;
  const words = wordsFor(known, alarm);
  return (
    <article className={`panel ${level === 'error' ? 'bad' : 'warned'}`}>
      <p className="panel-kicker">
        <Icon name="warn" />
        {level === 'error' ? 'Look at this' : 'Worth knowing'}
        <span className="panel-when">
          <Time at={last} />
        </span>
      </p>
      <h3>
        <Exact text={message} label="the line" />
      </h3>
      {words === undefined ? (
        <p>The manual says nothing of this line. The log of the process has what came before it.</p>
      ) : (
        <dl className="facts">
          <div>
            <dt>What it means</dt>
            <dd>
              <Manual text={words.means} />
            </dd>
          </div>
          <div>
            <dt>What to do</dt>
            <dd>
              <Manual text={words.todo} />
            </dd>
          </div>
        </dl>
      )}
      <p className="panel-note">
        <Line text={service} /> · <Line text={instance} /> · {times === 1 ? 'once' : `${count(times, 'time')}, first `}
        {times === 1 ? null : <Time at={first} />}
      </p>
      {fields === undefined ? null : (
        <details className="more">
          <summary>What the line says besides</summary>
          <pre className="exact-json">
            <Exact text={exactText(fields)} label="what it says" />
          </pre>
        </details>
      )}
    </article>
  );
}

/** A sentence of the manual: its `code` is shown as such. */
const Manual = ({ text }: { readonly text: string }) => (
  <>
    {text.split(/(`[^`]+`)/).map((part, index) =>
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never change places
      part.startsWith('`') && part.length > 1 ? <code key={index}>{part.slice(1, -1)}</code> : part,
    )}
  </>
);
