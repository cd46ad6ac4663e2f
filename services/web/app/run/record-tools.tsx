import { useEffect, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { download, keep } from '../api/download.ts';
import { platform } from '../api/platform.ts';
import { wordsOf } from '../api/words.ts';
import { Icon } from '../ui/icon.tsx';
import { Block, count } from '../ui/text.tsx';
import { clockTime } from '../ui/time.tsx';
import { sizeWords, type Verification, verdictOf } from './verification.ts';

/** What can be done with the record: have it checked, and take it along. */
export function RecordTools({ conversation, last }: { readonly conversation: string; readonly last: number }) {
  const verify = useVerify(conversation, last);
  const save = useExport(conversation);
  return (
    <section className="record-tools" aria-label="The record">
      <div className="record-words">
        <h2>The record</h2>
        <p>
          {count(last, 'event')}, each sealed to the one before it. Whoever changes or removes one breaks the chain, and
          a check shows it.
        </p>
      </div>
      <div className="buttons">
        <Button className="button" isDisabled={verify.isRunning} onPress={verify.run}>
          <Icon name="shield" /> {verify.isRunning ? 'Checking…' : 'Verify'}
        </Button>
        {save.isRunning ? (
          <Button className="button" onPress={save.cancel}>
            <Icon name="cross" /> Stop
          </Button>
        ) : (
          <Button className="button" onPress={save.run}>
            <Icon name="download" /> Export
          </Button>
        )}
      </div>
      <div role="status" className="record-outcome">
        {save.said === '' ? null : (
          <p className="record-line">
            <Block text={save.said} />
          </p>
        )}
        {verify.answer === undefined ? null : <Verdict answer={verify.answer} seen={verify.seen} />}
      </div>
      <p role="alert" className="problem">
        {verify.problem || save.problem}
      </p>
    </section>
  );
}

function Verdict({ answer, seen }: { readonly answer: Verification; readonly seen: number }) {
  const { isSound, title, lines, head } = verdictOf(answer, seen);
  return (
    <div className={isSound ? 'verdict sound' : 'verdict broken'}>
      <p className="verdict-title">
        <Icon name={isSound ? 'shield' : 'warn'} /> {title}
      </p>
      <ul>
        {lines.map((line) => (
          <li key={line}>
            <Block text={line} />
          </li>
        ))}
      </ul>
      {head === undefined ? null : (
        <p>
          Seal of revision {head.revision}: <code className="seal">{head.hash}</code>
          <span className="verdict-note">
            Keep it somewhere else: with it, <code>stopgo verify --against</code> tells later whether anything up to
            there was changed or cut off.
          </span>
        </p>
      )}
      <p className="verdict-note">Checked at {clockTime(answer.verified_at)} by the platform.</p>
    </div>
  );
}

function useVerify(conversation: string, last: number) {
  const [state, setState] = useState<{ answer?: Verification; seen: number; problem: string; isRunning: boolean }>({
    ...{ seen: 0, problem: '', isRunning: false },
  });
  const ended = useEnd();
  const run = async (): Promise<void> => {
    setState((before) => ({ ...before, problem: '', isRunning: true }));
    const { signal } = ended();
    try {
      const answer = await platform.conversations.verify(conversation, { signal });
      // What was on this page when it was asked for has to be in it.
      setState({ answer, seen: last, problem: '', isRunning: false });
    } catch (error) {
      if (!signal.aborted) setState({ seen: 0, problem: wordsOf(error), isRunning: false });
    }
  };
  return { ...state, run: () => void run() };
}

function useExport(conversation: string) {
  const [state, setState] = useState({ said: '', problem: '', isRunning: false });
  const ended = useEnd();
  const running = useRef<AbortController>(undefined);
  const run = async (): Promise<void> => {
    const end = ended();
    running.current = end;
    setState({ said: 'Reading the record…', problem: '', isRunning: true });
    try {
      const onBytes = (bytes: number) =>
        setState((before) => ({ ...before, said: `Reading the record… ${sizeWords(bytes)}` }));
      const file = await download(`/conversations/${conversation}/export`, onBytes, end.signal);
      keep(file);
      setState({ said: `Saved as ${file.name}, ${sizeWords(file.content.size)}.`, problem: '', isRunning: false });
    } catch (error) {
      const problem = end.signal.aborted ? '' : `${wordsOf(error)} Nothing was saved.`;
      setState({ said: end.signal.aborted ? 'Stopped. Nothing was saved.' : '', problem, isRunning: false });
    }
  };
  return { ...state, run: () => void run(), cancel: () => running.current?.abort() };
}

/** What ends a request when the page is left. */
function useEnd(): () => AbortController {
  const all = useRef(new Set<AbortController>());
  useEffect(() => {
    const open = all.current;
    return () => {
      for (const one of open) one.abort();
    };
  }, []);
  return () => {
    const one = new AbortController();
    all.current.add(one);
    return one;
  };
}
