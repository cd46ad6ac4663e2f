import { counts, waitingFor } from '../state/live.ts';
import { questionsWaiting } from '../state/questions.ts';
import { useStore } from '../state/store.ts';
import { Link } from '../ui/link.tsx';

/** What waits for people, by kind: calls that are to be decided on, and questions that are to be answered, each with how many there are. */
export function InboxKinds({ current }: { readonly current: 'approvals' | 'questions' }) {
  const waiting = waitingFor(useStore(counts));
  const asked = useStore(questionsWaiting);
  return (
    <nav aria-label="What waits" className="inbox-kinds">
      <Link to="/approvals" isCurrent={current === 'approvals'}>
        Approvals{numbered(waiting)}
      </Link>
      <Link to="/questions" isCurrent={current === 'questions'}>
        Questions{numbered(asked)}
      </Link>
    </nav>
  );
}

const numbered = (number: number | undefined): string =>
  number === undefined || number === 0 ? '' : ` (${number.toLocaleString('en')})`;
