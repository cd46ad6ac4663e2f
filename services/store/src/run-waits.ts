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

/** Of what processes say, what holds for a run that goes on: a heartbeat may be older than the end of a run. */
export function waitsOfWorkingRuns(
  waits: readonly views.RunWait[],
  viewOf: (conversationId: string) => views.ConversationView | undefined,
): views.RunWait[] {
  return waits.filter(({ conversationId, runId }) => {
    const run = viewOf(conversationId)?.head?.run;
    return run?.id === runId && run.status === views.RunStatus.WORKING;
  });
}
