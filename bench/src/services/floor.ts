// What a call between two processes, and a message that is acknowledged on the disk, cost on this machine in the same run.
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { natsPassword } from '@stopgo/cli';
import { Secret } from '@stopgo/rpc';
import { asIs, echoPaths } from '../grpc-echo.ts';
import { startEcho } from '../platform.ts';
import { cpuSeconds } from '../process-usage.ts';
import { quantiles } from '../quantiles.ts';
import type { ServicesPlatform } from './platform.ts';

/** The bytes of one message: those of an append on its way to the store, about. */
export const messageBytes = 1_000;
const atOnce = 50;

/** One kind of exchange: one after the other, then 50 under way; CPU is that of both ends together, of the latter. */
type Exchange = {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly perSecondAt50: number;
  readonly cpuMs: number;
};

/** A unary call; a message and its echo over a bidirectional stream that is open; a publish with its acknowledgement. */
export type ServicesFloor = { readonly unary: Exchange; readonly stream: Exchange; readonly publish: Exchange };

/** Measures `count` of each, the publishes at the nats-server of the platform, in a stream of their own. */
export async function measureServicesFloor(platform: ServicesPlatform, count: number): Promise<ServicesFloor> {
  return { ...(await measureGrpc(count)), publish: await measurePublish(platform, count) };
}

const message = Buffer.alloc(messageBytes, 7);

async function measureGrpc(count: number): Promise<{ readonly unary: Exchange; readonly stream: Exchange }> {
  const echo = await startEcho('grpc');
  const client = new Client(echo.address, credentials.createInsecure());
  try {
    const unary = (): Promise<void> =>
      new Promise((resolve, reject) => {
        client.makeUnaryRequest(echoPaths.call, asIs, asIs, message, new Metadata(), {}, (error) =>
          error === null ? resolve() : reject(error),
        );
      });
    const call = client.makeBidiStreamRequest(echoPaths.talk, asIs, asIs, new Metadata(), {});
    // Echoes come back in the order of the messages.
    const waiting: { resolve(): void; reject(error: Error): void }[] = [];
    call.on('data', () => waiting.shift()?.resolve());
    call.on('error', (error: Error) => {
      for (const one of waiting.splice(0)) one.reject(error);
    });
    const stream = (): Promise<void> =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        call.write(message);
      });
    const figures = { unary: await measure(unary, count, echo.pid), stream: await measure(stream, count, echo.pid) };
    call.end();
    return figures;
  } finally {
    client.close();
    await echo.stop();
  }
}

async function measurePublish(platform: ServicesPlatform, count: number): Promise<Exchange> {
  const { port } = (await (await fetch(`${platform.natsMonitorUrl}/varz`)).json()) as { readonly port: number };
  const pass = natsPassword(new Secret(platform.internalToken));
  const link = await connect({ servers: `127.0.0.1:${port}`, user: 'stopgo', pass });
  const server = platform.parts().find(({ name }) => name === 'nats-server');
  if (server === undefined) throw new Error('no nats-server runs');
  const name = 'BENCH_FLOOR';
  const manager = await jetstreamManager(link);
  try {
    await manager.streams.add({ name, subjects: ['bench.floor'] });
    const log = jetstream(link);
    return await measure(async () => void (await log.publish('bench.floor', message)), count, server.pid);
  } finally {
    await manager.streams.delete(name).catch(() => undefined);
    await link.close();
  }
}

/** Warm, as the services are after their first turns: as many exchanges as are measured go before. */
async function measure(exchange: () => Promise<void>, count: number, otherEnd: number): Promise<Exchange> {
  await manyAtOnce(exchange, count);
  const times: number[] = [];
  for (let done = 0; done < count; done += 1) {
    const began = performance.now();
    await exchange();
    times.push(performance.now() - began);
  }
  const both = (): number => cpuSeconds(process.pid) + cpuSeconds(otherEnd);
  const [cpu, began] = [both(), performance.now()];
  await manyAtOnce(exchange, count);
  const seconds = (performance.now() - began) / 1_000;
  const { p50, p95 } = quantiles(times);
  return { p50Ms: p50, p95Ms: p95, perSecondAt50: count / seconds, cpuMs: (1_000 * (both() - cpu)) / count };
}

async function manyAtOnce(exchange: () => Promise<void>, count: number): Promise<void> {
  let left = count;
  const work = async (): Promise<void> => {
    while (left-- > 0) await exchange();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
