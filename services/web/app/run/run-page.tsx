import { useDeferredValue, useMemo, useState } from 'react';
import { ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import { go } from '../state/place.ts';
import { Icon } from '../ui/icon.tsx';
import { Link } from '../ui/link.tsx';
import { Page } from '../ui/page.tsx';
import { addressOf, askedFor, type View, views } from './address.ts';
import { AsItStood } from './as-it-stood.tsx';
import { GraphView } from './graph-view.tsx';
import { useRecord, useRuns, useSeconds } from './record.ts';
import { outlineOf, viewOf } from './run-view.ts';
import { Summary } from './summary.tsx';
import { TableView } from './table-view.tsx';
import { TimeStrip } from './time-strip.tsx';
import { Timeline } from './timeline.tsx';
import { useRevision } from './use-revision.ts';
import './run.css';

const names: Readonly<Record<View, string>> = {
  ...{ graph: 'Graph', table: 'Table', timeline: 'Timeline', conversation: 'Conversation' },
};

/** The runs of a conversation: what worked, what it took, and the record that all of it is read from, now and at any revision before. */
export default function RunPage({ id, query }: { readonly id: string; readonly query: string }) {
  const asked = askedFor(query);
  const record = useRecord(id);
  const { transcript, head, problem, stream, events } = record;
  const [wanted, setRevision] = useRevision(id, asked);
  const [chosen, setChosen] = useState<string>();
  const last = transcript.revision;
  const isHere = head !== undefined && last > 0 && last >= Math.min(head.revision, wanted ?? head.revision);
  const past = wanted !== undefined && wanted < last ? wanted : undefined;
  const upTo = useDeferredValue(past ?? last);
  const runs = useRuns(events, upTo);
  const isLive = past === undefined && transcript.isRunOpen;
  const second = useSeconds(isLive);
  const known = runs.runs.filter((one) => one.startedAt !== undefined);
  const run = asked.run === undefined ? known.at(-1) : known.find((one) => one.id === asked.run);
  // What went on then is counted up to then.
  const now = isLive ? second : Date.parse(events.all[upTo - 1]?.time ?? '') || second;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is known of a run grows in place, with the revision
  const shown = useMemo(() => (run === undefined ? undefined : viewOf(run, now)), [run, now, upTo]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same
  const lines = useMemo(() => runs.runs.map(outlineOf), [runs, upTo]);

  if (problem !== undefined)
    return (
      <div className="empty-page">
        <h1>This run cannot be shown</h1>
        <p>{problem}</p>
        <Link to="/" className="button primary">
          Start a conversation
        </Link>
      </div>
    );
  const to = (change: Partial<typeof asked>) => go(addressOf(id, { ...asked, revision: wanted, ...change }));
  return (
    <Page
      title="How it ran"
      back={`/c/${id}`}
      actions={
        <Link to={`/c/${id}`} className="button quiet to-conversation">
          <Icon name="chat" /> Conversation
        </Link>
      }
    >
      {isHere ? (
        <div className="run-page">
          <TimeStrip
            events={events}
            revision={past}
            asked={wanted}
            last={last}
            onChange={(next) => setRevision(next === last ? undefined : next)}
          />
          <Summary
            runs={lines}
            run={shown}
            isPast={past !== undefined}
            head={past === undefined && shown?.id === lines.at(-1)?.id ? head : undefined}
            isConnected={stream === 'open'}
            onChoose={(next) => {
              setChosen(undefined);
              to({ run: next });
            }}
          />
          <ToggleButtonGroup
            aria-label="What is shown"
            className="segments run-views"
            selectionMode="single"
            disallowEmptySelection
            selectedKeys={[asked.view]}
            onSelectionChange={(keys) => to({ view: String([...keys][0] ?? 'graph') as View })}
          >
            {views.map((view) => (
              <ToggleButton key={view} id={view} className="segment">
                {names[view]}
              </ToggleButton>
            ))}
          </ToggleButtonGroup>
          {asked.view === 'timeline' ? (
            <Timeline
              conversation={id}
              events={events}
              last={last}
              revision={past}
              onChoose={(next) => setRevision(next === last ? undefined : next)}
              onShow={(next) =>
                go(addressOf(id, { ...asked, view: 'conversation', revision: next === last ? undefined : next }))
              }
            />
          ) : asked.view === 'conversation' ? (
            <AsItStood conversation={id} events={events} last={last} revision={past} upTo={upTo} />
          ) : shown === undefined || shown.nodes.length === 0 ? (
            <p className="list-note">
              {asked.run === undefined
                ? 'No run had begun by then.'
                : 'That run had not begun by then, or there is none.'}
            </p>
          ) : asked.view === 'table' ? (
            <TableView conversation={id} nodes={shown.nodes} chosen={chosen} onChoose={setChosen} />
          ) : (
            <GraphView conversation={id} nodes={shown.nodes} chosen={chosen} onChoose={setChosen} />
          )}
        </div>
      ) : (
        <p role="status" className="list-note">
          Loading…
        </p>
      )}
    </Page>
  );
}
