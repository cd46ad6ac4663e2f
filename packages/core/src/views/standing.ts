import { timestampMs } from '@bufbuild/protobuf/wkt';
import { views } from '@stopgo/proto';

const standings: Readonly<Partial<Record<views.RunStatus, views.Standing>>> = {
  [views.RunStatus.WORKING]: views.Standing.WORKING,
  [views.RunStatus.WAITING]: views.Standing.WAITING,
  [views.RunStatus.COMPLETED]: views.Standing.COMPLETED,
  [views.RunStatus.FAILED]: views.Standing.FAILED,
  [views.RunStatus.CANCELED]: views.Standing.CANCELED,
};

/** How things are with a conversation: what lists select by, and what other agents are told. */
export function standingOf({ run, authPrompt }: Pick<views.ConversationHead, 'run' | 'authPrompt'>): views.Standing {
  if (run === undefined) return views.Standing.NEW;
  if (run.status === views.RunStatus.WAITING && authPrompt !== '') return views.Standing.WAITING_FOR_TOKEN;
  return standings[run.status] ?? views.Standing.WORKING;
}

/** Since when people are asked the oldest of what they are asked, in milliseconds since 1970; undefined: they are asked nothing. */
export function asksSince({
  pendingInputs: [oldest],
}: Pick<views.ConversationHead, 'pendingInputs'>): number | undefined {
  return oldest && Math.floor(oldest.requestedAt === undefined ? 0 : timestampMs(oldest.requestedAt));
}
