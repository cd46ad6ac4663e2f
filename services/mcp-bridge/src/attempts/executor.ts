import { mcp } from '@stopgo/proto';
import { isHeaderToken, withoutTokens } from '../credentials/bearer.ts';
import { failed } from '../results/call-end.ts';
import type { AttemptWatch } from './attempts.ts';
import { type Call, type ExecutorDependencies, parseArguments } from './call.ts';
import { answered, type Outcome, refused, withoutSecrets } from './outcome.ts';
import { Preparation } from './preparation.ts';
import { canceledInTime, inDoubt, toolNotFound, unavailable } from './refusals.ts';
import { runCall } from './run-call.ts';
import { untilBack } from './until-back.ts';

const secretInArguments = 'the arguments hold a token or a key that the platform keeps secret; leave it out';

/**
 * Makes one attempt of a call: prepares it while it waits for its turn, passes the gate, sends. Aborting the signal takes it out of
 * the queue or asks the server to stop it. Never throws; the token is in nothing that it returns.
 */
export async function makeAttempt(
  request: mcp.ExecuteRequest,
  token: string | undefined,
  watch: AttemptWatch,
  dependencies: ExecutorDependencies,
): Promise<Outcome> {
  const { signal } = watch;
  const server = dependencies.server(request.server);
  if (server === undefined) return toolNotFound(request);
  const args = parseArguments(request.argumentsJson);
  if (typeof args === 'string') return answered(failed(args, 'invalid_arguments'), 0, undefined);
  if (dependencies.secrets.holds(JSON.stringify(args)))
    return answered(failed(secretInArguments, 'invalid_arguments'), 0, undefined);
  // Its approval may have come just when the server is away for a moment.
  if (server.down !== undefined) await untilBack(server, request, dependencies, dependencies.bounds.callWaitMs, signal);
  if (server.down !== undefined) return unavailable(server.down);
  if (server.queue.full) {
    const { callsQueuedMax } = dependencies.bounds;
    const reason = `the server "${request.server}" has ${callsQueuedMax} calls waiting already; try again later`;
    return unavailable({ reason });
  }
  if (server.forwardsBearer && token !== undefined && !isHeaderToken(token)) {
    return refused(mcp.RefusedReason.UNAUTHENTICATED, 'the bearer token has characters that no token may have');
  }
  const call: Call = { request, server, arguments: args, watch, token: server.forwardsBearer ? token : undefined };
  const preparation = new Preparation(call, dependencies);
  return new Promise((resolve) => {
    let hasTurn = false;
    // The next call has its turn once this one's exchange is over, and not only once its result is kept.
    const take = () =>
      new Promise<void>((exchanged) => {
        hasTurn = true;
        signal.removeEventListener('abort', canceled);
        watch.onTurn();
        void madeOf(() => runCall(call, dependencies, preparation, exchanged), token, dependencies).then((outcome) => {
          resolve(outcome);
          exchanged();
        });
      });
    const leave = server.queue.add(take);
    function canceled(): void {
      if (leave()) resolve(canceledInTime());
    }
    if (hasTurn) return;
    signal.addEventListener('abort', canceled, { once: true });
    preparation.begin();
  });
}

/** What became of a call whose turn has come. Never rejects. */
async function madeOf(
  run: () => Promise<Outcome>,
  token: string | undefined,
  { secrets, onDefect }: ExecutorDependencies,
): Promise<Outcome> {
  try {
    return withoutSecrets(await run(), secrets);
  } catch (error) {
    onDefect(withoutTokens(error instanceof Error ? (error.stack ?? error.message) : String(error), token));
    return inDoubt('the bridge failed while the call ran');
  }
}
