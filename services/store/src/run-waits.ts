import { views } from '@stopgo/proto';

/** A view with what its run waits for besides people, by what processes say now. Nobody is asked for a run that is not worked on. */
export function withWaits(
  view: views.ConversationView,
  waits: () => readonly views.RunWait[],
): Omit<views.ConversationView, '$unknown'> {
  const { run, id } = view.head ?? {};
  if (run?.status !== views.RunStatus.WORKING) return view;
  const own = waits().filter(({ conversationId, runId }) => conversationId === id && runId === run.id);
  return own.length === 0 ? view : { ...view, waits: own };
}
