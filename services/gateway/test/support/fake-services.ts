import type { DescService, Message } from '@bufbuild/protobuf';
import { unimplemented } from '@stopgo/core';
import { approvals, mcp, memory, orchestrator, people, registry, store } from '@stopgo/proto';
import { type CallContext, createInProcessClient, type ServiceImpl } from '@stopgo/rpc';
import type { GatewayClients } from '../../src/index.ts';

/** What a test wants the services to answer; every other method is refused as unimplemented. */
export type Script = {
  readonly orchestrator?: Partial<ServiceImpl<typeof orchestrator.OrchestratorService>>;
  readonly approvals?: Partial<ServiceImpl<typeof approvals.ApprovalsService>>;
  readonly store?: Partial<ServiceImpl<typeof store.StoreService>>;
  readonly bridge?: Partial<ServiceImpl<typeof mcp.McpBridgeService>>;
  readonly accounts?: Partial<ServiceImpl<typeof mcp.AccountsService>>;
  readonly people?: Partial<ServiceImpl<typeof people.PeopleService>>;
  readonly memories?: Partial<ServiceImpl<typeof memory.MemoryService>>;
  /** Without it agents are taken from no repository. */
  readonly registry?: Partial<ServiceImpl<typeof registry.RegistryService>>;
};

/** One call that reached a service. */
export type Call = { readonly method: string; readonly request: Message; readonly context: CallContext };

/** Real in-process clients of scripted services, and the calls that were made. */
export function fakeServices(script: Script): { readonly clients: GatewayClients; readonly calls: Call[] } {
  const calls: Call[] = [];
  const client = <S extends DescService>(service: S, impl: Partial<ServiceImpl<S>> = {}) =>
    createInProcessClient(service, recorded(service, impl, calls), { onInternalError: () => undefined });
  return {
    calls,
    clients: {
      orchestrator: client(orchestrator.OrchestratorService, script.orchestrator),
      approvals: client(approvals.ApprovalsService, script.approvals),
      store: client(store.StoreService, script.store),
      bridge: client(mcp.McpBridgeService, script.bridge),
      accounts: client(mcp.AccountsService, script.accounts),
      people: client(people.PeopleService, script.people),
      memories: client(memory.MemoryService, script.memories),
      ...(script.registry === undefined ? {} : { registry: client(registry.RegistryService, script.registry) }),
    },
  };
}

type Method = (request: Message, context: CallContext) => unknown;

function recorded<S extends DescService>(service: S, impl: Partial<ServiceImpl<S>>, calls: Call[]): ServiceImpl<S> {
  const scripted = impl as Readonly<Record<string, Method | undefined>>;
  const methods = service.methods.map(({ localName }) => [
    localName,
    (request: Message, context: CallContext) => {
      calls.push({ method: localName, request, context });
      const method = scripted[localName];
      if (method === undefined) throw unimplemented(`the test did not expect ${localName}`);
      return method(request, context);
    },
  ]);
  return Object.fromEntries(methods) as ServiceImpl<S>;
}
