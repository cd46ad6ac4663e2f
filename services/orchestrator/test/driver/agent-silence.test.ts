import { expect, test, vi } from 'vitest';
import { AgentSilence } from '../../src/driver/delegations/agent-silence.ts';
import { driverWith } from './one-driver.ts';

const agent = { agent: 'peer', callId: 'call' };

test('an agent that is waited for anyway is looked at again and again without another timer', async () => {
  const { driver, clock, ports } = driverWith({});
  const sleep = vi.spyOn(clock, 'sleep');
  const silence = new AgentSilence(driver, agent, false);
  for (let look = 0; look < 20; look += 1) await silence.during(() => Promise.resolve(undefined));
  expect(sleep).toHaveBeenCalledTimes(1);
  expect(ports.waits.told()).toHaveLength(1);
  // One that answers, and then thinks for long, is silent again.
  await silence.during(() => Promise.resolve('working'));
  expect(ports.waits.told()).toEqual([]);
  void silence.during(() => new Promise(() => undefined));
  await clock.pass(1_000);
  expect(ports.waits.told()).toHaveLength(1);
  silence.end();
});
