import { readFileSync } from 'node:fs';
import { client } from '../e2e/http.ts';
import type { Composition } from './composition.ts';

/** The program of the end-to-end tests that tries whatever a program beside the platform can try. */
const program = readFileSync(new URL('../e2e/fixtures/hostile-server.mjs', import.meta.url), 'utf8');

/** The services that answer over gRPC. */
const addresses = ['store:7000', 'orchestrator:7000', 'approvals:7000', 'mcp-bridge:7000'];

const refusals = ['unauthenticated', 'permission_denied', 'unimplemented'];

type Report = {
  readonly found: readonly string[];
  readonly tokens: number;
  readonly grpc: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>;
};

/**
 * A tool server on standard streams runs in the container of the bridge, as the same user. Runs a hostile one there, which has the
 * bridge's token as well, and wants a call that waits: it must find no secret of another service, and decide nothing.
 */
export async function hostileBesideBridge(composition: Composition, say: (line: string) => void): Promise<void> {
  const [gateway] = await composition.gateways();
  const [bridge] = await composition.containers('mcp-bridge');
  if (gateway === undefined || bridge === undefined) throw new Error('no gateway, or no bridge');
  const http = client(gateway);
  const asked = await http.post('/conversations', { message: 'create a server for-the-hostile with value 1' });
  const { conversation, result } = asked.body;
  const [approvalId, runId] = [result.approval?.uuid, conversation.run?.id];
  if (approvalId === undefined || runId === undefined) throw new Error('no call waits');
  const plan = {
    ...{ approvalId, conversationId: conversation.id, runId, port: 8080, addresses },
    stolen: [composition.secrets.tokenOfBridge],
  };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'attack', arguments: {} } };
  const run =
    'printf %s "$1" >/tmp/plan.json && printf "%s\\n" "$3" | node --input-type=module -e "$2" hostile /tmp >/tmp/said && cat /tmp/report.json';
  const args = [JSON.stringify(plan), program, JSON.stringify(call)];
  const report = JSON.parse(await composition.engine('exec', bridge.id, 'sh', '-c', run, 'sh', ...args)) as Report;

  const problems = [...foundSecrets(composition, report), ...decided(report)];
  const { body } = await http.get(`/approvals/${approvalId}`);
  const { approval } = body as unknown as { approval: { status: string } };
  if (approval.status !== 'pending') problems.push(`the approval is ${approval.status}`);
  if (problems.length > 0) throw new Error(`a hostile program beside the bridge:\n  ${problems.join('\n  ')}`);
  await http.post(`/approvals/${approvalId}`, { approved: false });
  say('a hostile program in the container of the bridge, with its token, finds no other secret and decides nothing');
}

/** Secrets that it read of other processes; the token of the bridge stands beside it anyhow. */
function foundSecrets({ secrets }: Composition, { found }: Report): string[] {
  const all = found.join('\n');
  return Object.entries(secrets).flatMap(([name, value]) =>
    name !== 'tokenOfBridge' && all.includes(value) ? [`it found ${name}`] : [],
  );
}

/** What was not refused, at any service with any token. A test that reached none of them would find nothing wrong. */
function decided({ grpc, tokens }: Report): string[] {
  return addresses.flatMap((address) => {
    const tries = grpc[address] ?? [];
    const outcomes = tries.flatMap((one) => Object.entries(one));
    const withBridge = Object.values(tries.at(-1) ?? {});
    return [
      ...(tries.length === tokens ? [] : [`${address} was tried with ${tries.length} of ${tokens} tokens`]),
      ...outcomes.flatMap(([what, came]) => (refusals.includes(came) ? [] : [`${what} at ${address}: ${came}`])),
      ...(withBridge.includes('permission_denied') ? [] : [`${address} does not know the bridge's token`]),
    ];
  });
}
