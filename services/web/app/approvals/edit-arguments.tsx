import { type Approval, type ExactValue, exactText, parseExact } from '@stopgo/client';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { Dialog } from '../ui/dialog.tsx';
import { Diff } from './diff-view.tsx';

type Read = { readonly value: ExactValue } | { readonly problem: string };

/** Changes the arguments of a call before it is approved, and shows what is different. */
export function EditArguments(given: {
  readonly approval: Approval;
  readonly isOpen: boolean;
  readonly isSending: boolean;
  readonly problem: string;
  readonly onClose: () => void;
  readonly onApprove: (argumentsText: string, reason: string) => void;
}) {
  const { approval, isOpen, isSending, problem, onClose, onApprove } = given;
  const before = exactText(approval.tool_args);
  const [text, setText] = useState(before);
  const [reason, setReason] = useState('');
  const read = readArguments(text);
  const isChanged = 'value' in read && exactText(read.value) !== before;
  return (
    <Dialog title={`Change the arguments of ${approval.tool_name}`} isOpen={isOpen} onClose={onClose} isWide>
      <label className="field">
        Arguments, as JSON
        <textarea
          className="code-area"
          rows={Math.min(14, before.split('\n').length + 2)}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <p role="alert" className="problem">
        {'problem' in read ? read.problem : problem}
      </p>
      {isChanged ? (
        <section aria-label="What changes">
          <h3 className="diff-title">What changes</h3>
          <Diff before={approval.tool_args} after={read.value} />
        </section>
      ) : null}
      <label className="field">
        Why? It goes on the record (you may leave it empty)
        <input value={reason} onChange={(event) => setReason(event.target.value)} />
      </label>
      <p className="field-note">
        The rules judge the changed call anew. It may be asked about once more, as an approval of its own.
      </p>
      <div className="buttons">
        <Button
          className="button go"
          isDisabled={!isChanged || isSending}
          onPress={() => 'value' in read && onApprove(text, reason)}
        >
          {isSending ? 'Sending…' : 'Approve with these arguments'}
        </Button>
        <Button className="button quiet" onPress={onClose}>
          Leave it as it is
        </Button>
      </div>
    </Dialog>
  );
}

function readArguments(text: string): Read {
  try {
    const value = parseExact(text) as ExactValue;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { problem: 'Arguments are a JSON object: { "name": value }.' };
    return { value };
  } catch (error) {
    return { problem: `This is no JSON: ${error instanceof Error ? error.message : String(error)}.` };
  }
}
