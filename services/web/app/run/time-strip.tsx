import { Button } from 'react-aria-components';
import { Icon } from '../ui/icon.tsx';
import { Block } from '../ui/text.tsx';
import { clockTime } from '../ui/time.tsx';
import { lineOf } from './event-words.ts';
import type { Events } from './record.ts';

/** Where in the record somebody is, and the way to any other place of it. */
export function TimeStrip(given: {
  readonly events: Events;
  /** The revision that is looked back at; absent: now. */
  readonly revision: number | undefined;
  /** The one that was asked for, which there may not be. */
  readonly asked: number | undefined;
  readonly last: number;
  readonly onChange: (revision: number | undefined) => void;
}) {
  const { events, revision, asked, last, onChange } = given;
  const at = revision ?? last;
  const event = events.all[at - 1];
  const words = event === undefined ? '' : lineOf(event, events.names).text;
  const time = event?.time == null ? '' : clockTime(event.time);
  const isPast = revision !== undefined;
  return (
    <section className={isPast ? 'time-strip is-past' : 'time-strip'} aria-label="Place in the record">
      <div className="time-words">
        <p role="status" className="time-place">
          {isPast ? (
            <>
              <Icon name="clock" />
              <strong>
                You look at the past: revision {revision} of {last}
              </strong>
            </>
          ) : (
            <span className="time-now">
              Now, at revision {last}
              {asked !== undefined && asked > last ? `. There is no revision ${asked}.` : ''}
            </span>
          )}
        </p>
        <p className="time-event">
          {time === '' ? '' : `${time} · `}
          <Block text={words} />
        </p>
        {isPast ? (
          <Button className="button to-now" onPress={() => onChange(undefined)}>
            Back to now
          </Button>
        ) : null}
      </div>
      <div className="time-slider">
        <Button
          className="icon-button"
          aria-label="One event earlier"
          isDisabled={at <= 1}
          onPress={() => onChange(at - 1)}
        >
          <Icon name="back" />
        </Button>
        <input
          type="range"
          aria-label="Revision"
          aria-valuetext={`Revision ${at} of ${last}: ${words}`}
          min={1}
          max={Math.max(last, 1)}
          value={at}
          onChange={(change) => onChange(Number(change.target.value))}
        />
        <Button
          className="icon-button"
          aria-label="One event later"
          isDisabled={at >= last}
          onPress={() => onChange(at + 1)}
        >
          <Icon name="forward" />
        </Button>
      </div>
    </section>
  );
}
