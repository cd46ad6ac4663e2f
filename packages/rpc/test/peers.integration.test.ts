import { afterEach, describe, expect, test } from 'vitest';
import {
  bind,
  type Callers,
  connectGrpc,
  createGrpcClient,
  createInProcessClient,
  formatPeers,
  type KnownPeers,
  type PeerName,
  parsePeers,
  peerNames,
  peerToken,
  Secret,
  startGrpcServer,
} from '../src/index.ts';
import { type EchoImpl, echoImpl, failure, readAll } from './echo.ts';
import { EchoService } from './gen/stopgo/testing/v1/echo_pb.ts';

const root = new Secret('the-token-that-others-are-made-from');
const known = parsePeers(formatPeers(peerNames.map((name) => [name, peerToken(root, name)])));
const impl: EchoImpl = echoImpl({
  echo: async (_request, { peerService, peerInternal }) => ({ text: `${peerService} ${peerInternal}` }),
});

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

/** Says who acts, as the service is told. */
const whoActs: EchoImpl = echoImpl({ echo: async (_request, { principal }) => ({ text: principal.kind }) });

async function serve(peers: KnownPeers, callers?: Callers) {
  const more = callers === undefined ? {} : { callers };
  const server = await startGrpcServer({ address: '127.0.0.1:0', services: [bind(EchoService, impl)], peers, ...more });
  cleanUp.push(() => server.stop(0));
  return (token: Secret) => {
    const channel = connectGrpc(server.address, { internalToken: token });
    cleanUp.push(() => channel.close());
    return createGrpcClient(EchoService, channel);
  };
}

describe('tokens that name a service', () => {
  test('a service is told which one calls', async () => {
    const clientOf = await serve(known);
    for (const name of peerNames) expect((await clientOf(peerToken(root, name)).echo({})).text).toBe(`${name} true`);
  });

  test('no service can be another with what it has', async () => {
    const clientOf = await serve(known);
    const own = peerToken(root, 'mcp-bridge');
    const digests = known.map(({ digest }) => digest.toString('hex'));
    for (const made of [peerToken(own, 'approvals'), root, ...digests.map((digest) => new Secret(digest))]) {
      const refused = await failure(clientOf(made).echo({}));
      expect(refused.kind).toBe('unauthenticated');
      expect(refused.message).not.toContain(made.reveal());
    }
  });

  test('who may not call a method is told so, in each way to call', async () => {
    const clientOf = await serve(known, { gateway: 'all', approvals: ['Echo'] });
    const [gateway, approvals, bridge] = (['gateway', 'approvals', 'mcp-bridge'] as const).map((name) =>
      clientOf(peerToken(root, name)),
    );
    expect((await gateway?.echo({}))?.text).toBe('gateway true');
    expect(await readAll(gateway!.count({ upto: 2 }))).toHaveLength(2);
    expect((await approvals?.echo({}))?.text).toBe('approvals true');
    const denied = { kind: 'permission_denied', details: { peer: 'mcp-bridge' } };
    expect(await failure(bridge!.echo({}))).toMatchObject({
      ...denied,
      message: '/stopgo.testing.v1.EchoService/Echo is not for the mcp-bridge to call',
    });
    expect(await failure(readAll(bridge!.count({ upto: 2 })))).toMatchObject(denied);
    expect(await failure(readAll(approvals!.count({ upto: 2 })))).toMatchObject({ kind: 'permission_denied' });
  });

  test('while tokens are replaced the one of before is known as well, and says nothing of who calls', async () => {
    const before = new Secret('the-one-that-all-services-had');
    const [digest = ''] = formatPeers([['store', before]])
      .split('=')
      .slice(1);
    const clientOf = await serve(
      parsePeers(`shared=${digest}, ${formatPeers([['gateway', peerToken(root, 'gateway')]])}`),
      {
        gateway: ['Echo'],
      },
    );
    expect((await clientOf(before).echo({})).text).toBe('undefined true');
    expect(await readAll(clientOf(before).count({ upto: 1 }))).toHaveLength(1);
    expect((await clientOf(peerToken(root, 'gateway')).echo({})).text).toBe('gateway true');
  });

  test('with one token for all nobody is told apart', async () => {
    const server = await startGrpcServer({
      ...{ address: '127.0.0.1:0', services: [bind(EchoService, impl)], internalToken: root, callers: {} },
    });
    const channel = connectGrpc(server.address, { internalToken: root });
    cleanUp.push(
      () => server.stop(0),
      () => channel.close(),
    );
    expect((await createGrpcClient(EchoService, channel).echo({})).text).toBe('undefined true');
  });

  test('in one process a client says whose it is', async () => {
    const text = async (caller?: PeerName) =>
      (await createInProcessClient(EchoService, impl, caller === undefined ? {} : { caller }).echo({})).text;
    expect([await text(), await text('approvals')]).toEqual(['undefined true', 'approvals true']);
  });

  test.each(['gateway', 'gateway=abc', `somebody=${'0'.repeat(64)}`, `gateway=${'Z'.repeat(64)}`])(
    'peers given as %j are refused',
    (text) => expect(() => parsePeers(text)).toThrow(/^expected NAME=SHA-256 of its token/),
  );
});

describe('who acts in a call that names nobody', () => {
  const user = { id: 'a', email: 'a@example.com', name: 'A', role: 'USER', groups: [], via: 'token' } as const;
  const said = async (client: Pick<ReturnType<typeof createInProcessClient<typeof EchoService>>, 'echo'>) => [
    (await client.echo({})).text,
    (await client.echo({}, { context: { principal: { kind: 'anonymous' } } })).text,
    (await client.echo({}, { context: { principal: { kind: 'user', ...user } } })).text,
  ];
  const unnamed = { kind: 'nobody' } as const;
  const services = [bind(EchoService, whoActs)];
  const to = (address: string, token?: Secret) => {
    const channel = connectGrpc(address, token === undefined ? {} : { internalToken: token });
    cleanUp.push(() => channel.close());
    return createGrpcClient(EchoService, channel);
  };

  test('is anonymous, or whom the server was started with for that: over gRPC and within one process', async () => {
    for (const [given, expected] of [
      [{}, 'anonymous'],
      [{ unnamed }, 'nobody'],
    ] as const) {
      const server = await startGrpcServer({ address: '127.0.0.1:0', services, internalToken: root, ...given });
      cleanUp.push(() => server.stop(0));
      expect(await said(to(server.address, root))).toEqual([expected, expected, 'user']);
      expect(await said(createInProcessClient(EchoService, whoActs, given))).toEqual([expected, expected, 'user']);
    }
  });

  test('whoever cannot prove to be of the platform acts for nobody, whomever it names', async () => {
    const server = await startGrpcServer({ address: '127.0.0.1:0', services, unnamed });
    cleanUp.push(() => server.stop(0));
    expect(await said(to(server.address))).toEqual(['nobody', 'nobody', 'nobody']);
  });
});
