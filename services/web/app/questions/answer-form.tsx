import { ApiError } from '@stopgo/client';
import { type FormEvent, type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { wordsOf } from '../api/words.ts';
import { Address } from './address.tsx';
import { givenFor, problemAt, readAnswer } from './answer.ts';
import type { useDraft } from './draft.ts';
import { FieldInput } from './field-input.tsx';
import { fieldsOf } from './fields.ts';
import { FileInput, fileProblem, fileProblemIn } from './file-input.tsx';
import type { Outcome, Question } from './question.ts';
import { Refuse } from './refuse.tsx';
import { type Answer, sendAnswer } from './send-answer.ts';

const file = 'the file';

/** The ways to answer a question: with values, by opening an address, with a file; or not at all. */
export function AnswerForm(given: {
  readonly question: Question;
  readonly draft: ReturnType<typeof useDraft>;
  /** Told once the answer was taken; with an outcome, if somebody else was first. */
  readonly onSent: (settled: Outcome | undefined) => void;
}) {
  const { question, draft, onSent } = given;
  const fields = useMemo(() => fieldsOf(question), [question]);
  const [chosen, setChosen] = useState<File>();
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const [problem, setProblem] = useState('');
  const [isSending, setSending] = useState(false);
  const form = useRef<HTMLFormElement>(null);

  const show = (found: ReadonlyMap<string, string>): void => {
    setProblems(found);
    // Once it is drawn.
    if (found.size > 0)
      requestAnimationFrame(() => {
        const first = form.current?.querySelector<HTMLElement>('[aria-invalid], [data-invalid]');
        (first?.matches('fieldset') ? first.querySelector<HTMLElement>('input') : first)?.focus();
      });
  };
  const send = async (answer: Answer): Promise<void> => {
    setSending(true);
    setProblem('');
    show(new Map());
    try {
      onSent(await sendAnswer(question, answer));
    } catch (error) {
      setSending(false);
      const said = error instanceof ApiError ? error.message : '';
      const [at, ofFile] = [problemAt(fields, said), fileProblemIn(said)];
      if (at !== undefined) show(new Map([[at.name, at.words]]));
      else if (ofFile !== undefined && question.mode === 'file') show(new Map([[file, ofFile]]));
      else setProblem(wordsOf(error));
    }
  };
  const submit = (event?: FormEvent): void => {
    event?.preventDefault();
    if (isSending) return;
    if (question.mode === 'url') {
      void send({ action: 'accept' });
      return;
    }
    if (question.mode === 'file') {
      const wrong = fileProblem(chosen);
      if (wrong !== undefined) show(new Map([[file, wrong]]));
      else if (chosen !== undefined) void send({ action: 'accept', file: chosen });
      return;
    }
    const read = readAnswer(fields, draft.values);
    if ('problems' in read) show(read.problems);
    else void send({ action: 'accept', content: read.content });
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    submit();
  };
  const isYesOrNo = question.type === 'approval';
  const say = (approved: boolean) => void send({ action: 'accept', content: `{"approved":${approved}}` });
  return (
    <form ref={form} className="answer" noValidate onSubmit={submit} onKeyDown={press}>
      {question.mode === 'url' && question.url !== undefined ? <Address url={question.url} /> : null}
      {question.mode === 'file' ? (
        <FileInput file={chosen} problem={problems.get(file)} onChange={setChosen} />
      ) : isYesOrNo ? null : (
        fields.map((field) => (
          <FieldInput
            key={field.name}
            field={field}
            value={givenFor(field, draft.values)}
            problem={problems.get(field.name)}
            onChange={(value) => draft.change(field.name, value)}
          />
        ))
      )}
      <p className="field-note">{noteOf(question, isYesOrNo)}</p>
      <Refuse question={question} isSending={isSending} onRefuse={(action) => void send({ action })}>
        {isYesOrNo ? (
          <>
            <Button className="button go" isDisabled={isSending} onPress={() => say(true)}>
              Yes
            </Button>
            <Button className="button" isDisabled={isSending} onPress={() => say(false)}>
              No
            </Button>
          </>
        ) : (
          <Button type="submit" className="button go" isDisabled={isSending}>
            {isSending ? 'Sending…' : question.mode === 'url' ? 'I have done it' : 'Send the answer'}
          </Button>
        )}
      </Refuse>
      <p role="alert" className="problem">
        {problem}
      </p>
    </form>
  );
}

function noteOf({ mode, by }: Question, isYesOrNo: boolean): string {
  if (mode === 'url') return 'What you do there, the platform does not see. Come back and say that you have done it.';
  if (isYesOrNo)
    return 'A yes lets nothing run by itself: the agent is told, and calls are still asked for one by one.';
  const whom = by === 'agent' ? 'The agent' : 'The tool server';
  return `${whom} is given your answer, and it is kept on the record. Write no passwords or keys here.`;
}
