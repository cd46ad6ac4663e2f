import { randomBytes, randomUUID } from 'node:crypto';
import { createLogger } from '@stopgo/runtime';
import { onTestFinished } from 'vitest';
import { type GatewayOptions, startGateway } from '../../src/index.ts';
import { type Call, fakeServices, type Script } from './fake-services.ts';
import { type Reply, request, type Sent } from './http.ts';

export type TestGateway = {
  readonly url: string;
  readonly calls: Call[];
  /** Every line that was logged. */
  readonly lines: string[];
  readonly warnings: string[];
  send(method: string, path: string, sent?: Sent): Promise<Reply>;
  stop(): Promise<void>;
};

/** A real gateway on a free port of loopback, over scripted services. It is stopped after the test. */
export async function gateway(script: Script, more: Partial<GatewayOptions> = {}): Promise<TestGateway> {
  const { clients, calls } = fakeServices(script);
  const lines: string[] = [];
  const warnings: string[] = [];
  const log = createLogger({ level: 'debug', format: 'text', destination: { write: (line) => lines.push(line) } });
  const { address, stop } = await startGateway({
    host: '127.0.0.1',
    port: 0,
    clients,
    log,
    syncWaitMs: 5_000,
    allowedOrigins: [],
    allowedHosts: [],
    limits: { openStreams: 10, bodyBytes: 1024 * 1024, messageBytes: 64 * 1024 },
    agentName: 'tester',
    remoteAgents: [],
    now: () => performance.now(),
    wallClock: () => Date.now(),
    newId: randomUUID,
    newSessionId: () => randomBytes(4).toString('hex'),
    onWarning: (text) => warnings.push(text),
    ...more,
    times: { stopGraceMs: 200, ...more.times },
  });
  onTestFinished(stop);
  return {
    url: address,
    calls,
    lines,
    warnings,
    send: (method, path, sent) => request(address, method, path, sent),
    stop,
  };
}
