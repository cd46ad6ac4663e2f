import { type ReactNode, useState } from 'react';
import { Button } from 'react-aria-components';
import { changeProblem } from '../ui/ask-first.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** Says what will happen, and does it once somebody is sure. What goes wrong is told here. */
export function Sure(given: {
  readonly title: string;
  readonly label: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly act: () => Promise<void>;
  readonly children: ReactNode;
}) {
  const { title, label, isOpen, onClose, act, children } = given;
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState('');
  const close = () => {
    setProblem('');
    onClose();
  };
  const carryOut = async (): Promise<void> => {
    setSending(true);
    setProblem('');
    try {
      await act();
      close();
    } catch (error) {
      setProblem(changeProblem(error));
    } finally {
      setSending(false);
    }
  };
  return (
    <Dialog title={title} isOpen={isOpen} onClose={close}>
      {children}
      <p role="alert" className="problem">
        {problem}
      </p>
      <div className="buttons confirm-buttons">
        <Button className="button stop" isDisabled={isSending} onPress={() => void carryOut()}>
          {isSending ? 'Sending…' : label}
        </Button>
        <Button className="button quiet" onPress={close} autoFocus>
          No, leave it
        </Button>
      </div>
    </Dialog>
  );
}
