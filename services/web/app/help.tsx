import { Dialog } from './ui/dialog.tsx';
import { setShortcuts, useShortcutsAreOn } from './ui/shortcuts.ts';

const keys: readonly (readonly [string, string])[] = [
  ['?', 'This help'],
  ['/', 'Search'],
  ['n', 'New conversation'],
  ['i', 'Approvals'],
  ['q', 'Questions'],
  ['g', 'Agents'],
  ['o', 'Operations'],
  ['j, k', 'Next and previous approval, or question'],
  ['a', 'Approve: the key asks, Enter confirms'],
  ['r', 'Reject: the key asks for a reason, Enter confirms'],
  ['e', 'Change the arguments'],
  ['Ctrl+Enter', 'Send the answer to a question'],
  ['x', 'Select the approval, to decide several at once'],
  ['Enter', 'Send the message; Shift+Enter begins a new line'],
  ['Escape', 'Close, or go back'],
];

export function Help({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const areOn = useShortcutsAreOn();
  return (
    <Dialog title="Keys" isOpen={isOpen} onClose={onClose}>
      <dl className="keys">
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              {key.split(', ').map((one) => (
                <kbd key={one}>{one}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label className="check">
        <input type="checkbox" checked={areOn} onChange={(event) => setShortcuts(event.target.checked)} />
        Single letters are shortcuts
      </label>
    </Dialog>
  );
}
