import {
  acceptTools as accept,
  evolvePins,
  invalidArgument,
  notFound,
  type Pins,
  pinsStream,
  requireAllowed,
  unmet,
} from '@stopgo/core';
import { changeSmall, storeLog } from '@stopgo/log';
import type { approvals as wire } from '@stopgo/proto';
import type { CallContext } from '@stopgo/rpc';
import { actorOf } from './actor.ts';
import type { ApprovalsDependencies } from './dependencies.ts';

/** Tools that are accepted at once. */
const toolsMax = 512;
/** Longest name of a tool, in characters. */
const nameCharactersMax = 1_024;
const digest = /^[0-9a-f]{64}$/;

/**
 * Records that somebody accepts tools. The bridge, which found them, does not record this: tool servers run beside it, and one of
 * them may have what the bridge has.
 */
export async function acceptTools(
  given: ApprovalsDependencies,
  request: wire.AcceptToolsRequest,
  { principal, signal }: CallContext,
): Promise<{ readonly revisions: number[] }> {
  requireAllowed(principal, 'tools.accept');
  check(request);
  const log = storeLog(given.store);
  const revisions: number[] = [];
  for (const { identity, tools } of request.servers) {
    const name = pinsStream(identity);
    const load = async (until: AbortSignal): Promise<Pins> => {
      let pins = unmet;
      for await (const event of log.read(name, 1, until)) pins = evolvePins(pins, event);
      return pins;
    };
    const before = await load(signal);
    if (!before.isMet) throw notFound(`no bridge has met the server ${identity}`);
    const stream = { name, load, evolve: evolvePins };
    const decide = (pins: Pins) => accept(pins, tools);
    const { state } = await changeSmall({ ...given, log }, stream, before, actorOf(request), decide);
    revisions.push(state.revision);
  }
  return { revisions };
}

function check({ servers }: wire.AcceptToolsRequest): void {
  const tools = servers.flatMap((one) => one.tools);
  if (tools.length === 0 || tools.length > toolsMax)
    throw invalidArgument(`1 to ${toolsMax} tools are accepted at once, not ${tools.length}`);
  if (servers.some(({ identity }) => !digest.test(identity)))
    throw invalidArgument('identity: 64 hex digits, as the bridge tells them, are required');
  const isOdd = tools.some(({ name, pin }) => name === '' || name.length > nameCharactersMax || !digest.test(pin));
  if (isOdd) throw invalidArgument('tools: each needs its name and the 64 hex digits of its definition');
}
