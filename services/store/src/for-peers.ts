import { permissionDenied } from '@stopgo/core';
import type { store } from '@stopgo/proto';
import type { CallContext, PeerName, ServiceImpl } from '@stopgo/rpc';

type Service = ServiceImpl<typeof store.StoreService>;
type Method = keyof Service;

/** Which methods that change something are for whom. `append` looks at what is appended as well. */
const writersOf: Readonly<Partial<Record<Method, readonly PeerName[]>>> = {
  append: ['orchestrator', 'approvals', 'mcp-bridge', 'registry', 'operator'],
  heartbeat: ['orchestrator', 'mcp-bridge'],
  publishDelta: ['orchestrator'],
  putBlob: ['mcp-bridge', 'orchestrator'],
  // Also reading: a key is for whoever opens with it.
  keepKey: ['mcp-bridge'],
  readKey: ['mcp-bridge'],
  destroyKey: ['mcp-bridge'],
};

/** What those read who are to see nothing of conversations: which methods they call, and of which streams. */
type Narrow = { readonly methods: readonly Method[]; readonly streams: RegExp };

const narrow: Readonly<Partial<Record<PeerName, Narrow>>> = {
  // How a call stands on the record, its own streams, and whether the log takes something (and so its token).
  'mcp-bridge': {
    methods: ['readTicket', 'readTickets', 'readStream', 'follow', 'getCondition'],
    streams: /^(?:pins|tool|connection)-/,
  },
  registry: { methods: ['readStream', 'follow', 'getCondition'], streams: /^(?:repository|agent)-/ },
};

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
  const limits = narrow[peer];
  const may = writers === undefined ? (limits?.methods.includes(method) ?? true) : writers.includes(peer);
  // Whether it may append is judged by what it appends as well.
  const stream = limits !== undefined && 'stream' in request ? String(request.stream) : undefined;
  const isTheirs = stream === undefined || limits?.streams.test(stream) === true;
  if (may && isTheirs) return;
  const what = may ? `${method} of ${stream?.slice(0, 200)}` : method;
  throw permissionDenied(`${what} is not for the ${peer}`, { peer });
}
