import { connection } from '../state/live.ts';
import { useStore } from '../state/store.ts';
import { clockTime } from './time.tsx';

/** Says that the platform is not there, for as long as it is not. What is shown stays, and may be old. */
export function ConnectionLine() {
  const { state, since } = useStore(connection);
  return (
    <div role="status" className="connection-status">
      {state === 'lost' ? (
        <p className="connection-line">
          <span className="pulse" aria-hidden="true" />
          {navigator.onLine ? 'The platform does not answer' : 'This device is offline'} since{' '}
          {clockTime(new Date(since).toISOString())}. What you see may be old; this page connects again by itself.
        </p>
      ) : null}
    </div>
  );
}
