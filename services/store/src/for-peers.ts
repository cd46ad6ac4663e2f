import { permissionDenied } from '@stopgo/core';
import type { store } from '@stopgo/proto';
import type { CallContext, PeerName, ServiceImpl } from '@stopgo/rpc';

type Service = ServiceImpl<typeof store.StoreService>;
type Method = keyof Service;

/** Which methods that change something are for whom. `append` looks at what is appended as well. */
const writersOf: Readonly<Partial<Record<Method, readonly PeerName[]>>> = {
  append: ['orchestrator', 'approvals', 'mcp-bridge', 'operator'],
  heartbeat: ['orchestrator', 'mcp-bridge'],
  publishDelta: ['orchestrator'],
  putBlob: ['mcp-bridge'],
};

/** What a bridge reads: how a call stands on the record, its own streams, and whether the log takes something (and so its token). */
const readByBridge: readonly Method[] = ['readTicket', 'readTickets', 'readStream', 'follow', 'getCondition'];

/** What is not checked here: whether it may append is judged by what it appends. */
const ownStreams = /^(?:pins|tool)-/;

/**
 * The service with a look at who calls: each of the others does only what it is there for. Who did not prove which service it is, with
 * a token that all share, does everything, as before there was one for each.
 */
export function forPeers(service: Service): Service {
  const guarded = Object.entries(service).map(([name, run]) => {
    const call = run as (request: object, context: CallContext) => unknown;
    const check = (request: object, { peerService }: CallContext): void => {
      if (peerService !== undefined) checkMethod(peerService, name as Method, request);
    };
    return [
      name,
      (request: object, context: CallContext) => {
        check(request, context);
        return call(request, context);
      },
    ];
  });
  return Object.fromEntries(guarded) as Service;
}

function checkMethod(peer: PeerName, method: Method, request: object): void {
  const writers = writersOf[method];
  const may = writers === undefined ? peer !== 'mcp-bridge' || readByBridge.includes(method) : writers.includes(peer);
  const stream = peer === 'mcp-bridge' && 'stream' in request ? String(request.stream) : undefined;
  const isTheirs = stream === undefined || ownStreams.test(stream);
  if (may && isTheirs) return;
  const what = may ? `${method} of ${stream?.slice(0, 200)}` : method;
  throw permissionDenied(`${what} is not for the ${peer}`, { peer });
}
