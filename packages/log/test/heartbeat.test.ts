import { expect, test } from 'vitest';
import { type Beat, Heartbeat } from '../src/index.ts';
import { HandClock, HeartbeatList } from './hours.ts';

const ttlMs = 900;
const third = ttlMs / 3;
/** How finely time passes where it matters, in milliseconds. */
const step = 10;

function world() {
  const clock = new HandClock();
  const list = new HeartbeatList();
  const member = (instance: string, more: { role?: string; address?: string; renames?: boolean } = {}) =>
    new Heartbeat({ beat: list.beat, clock, ttlMs, instance, role: 'mcp-bridge', ...more });
  return { clock, list, member };
}

const signal = new AbortController().signal;

test('an instance is alive, with its address, until its counter has stood still for a whole time to live', async () => {
  const { clock, member } = world();
  const observer = member('observer', { role: 'orchestrator' });
  const bridge = member('bridge', { address: '10.0.0.7:7000' });
  await bridge.renew();
  await observer.renew();
  expect(observer.alive('mcp-bridge')).toMatchObject([{ instance: 'bridge', address: '10.0.0.7:7000' }]);
  expect(observer.alive('orchestrator')).toMatchObject([{ instance: 'observer' }]);
  for (const passed of [1, 2]) {
    await clock.pass(third);
    await observer.renew();
    expect(observer.isDead('bridge'), `after ${passed} thirds`).toBe(false);
  }
  let isToldDead = false;
  const told = observer.died('bridge', signal).then(() => {
    isToldDead = true;
  });
  await clock.pass(third - 1);
  expect(isToldDead).toBe(false);
  await clock.pass(1);
  await observer.renew();
  expect(observer.isDead('bridge')).toBe(true);
  expect(observer.alive('mcp-bridge')).toEqual([]);
  await told;
});

test('after an outage of the store everybody gets a fresh time to live', async () => {
  const { clock, list, member } = world();
  const observer = member('observer');
  await member('bridge').renew();
  await observer.renew();
  list.isAway = true;
  await clock.pass(2 * ttlMs);
  expect(await observer.renew()).toBe(false);
  expect(observer.isDead('bridge')).toBe(false);
  list.isAway = false;
  await observer.renew();
  expect(observer.isDead('bridge')).toBe(false);
  for (let passed = 0; passed < 3; passed += 1) {
    await clock.pass(third);
    await observer.renew();
  }
  expect(observer.isDead('bridge')).toBe(true);
});

test('who stood still itself judges nobody before it has watched for a whole time to live again', async () => {
  const { clock, member } = world();
  const observer = member('observer');
  const bridge = member('bridge');
  await bridge.renew();
  const running = observer.run(() => undefined);
  await clock.pass(0);
  // The machine stops all of its processes; the observer is the first to go on.
  await clock.pass(ttlMs - 1);
  for (let passed = 0; passed < ttlMs - third; passed += step) {
    await clock.pass(step);
    expect(observer.isDead('bridge'), `${passed} ms later`).toBe(false);
  }
  // Who really is dead is found all the same.
  for (let passed = 0; passed < ttlMs; passed += step) await clock.pass(step);
  expect(observer.isDead('bridge')).toBe(true);
  observer.stop();
  await running;
});

test('who stood still while an answer was on its way does not judge by what it says', async () => {
  const { clock, list, member } = world();
  const observer = member('observer');
  const bridge = member('bridge');
  await Promise.all([bridge.renew(), observer.renew()]);
  await clock.pass(third);
  list.answer = () => clock.pass(ttlMs / 2 + 1);
  await observer.renew();
  list.answer = () => Promise.resolve();
  await clock.pass(third);
  await observer.renew();
  expect(observer.isDead('bridge')).toBe(false);
});

test('an instance that said that it leaves is dead at once, and stays so when the store forgets it', async () => {
  const { list, member } = world();
  const observer = member('observer');
  const bridge = member('bridge');
  await bridge.renew();
  await observer.renew();
  await bridge.leave();
  expect(list.of('bridge')).toMatchObject({ left: true });
  await observer.renew();
  expect(observer.isDead('bridge')).toBe(true);
  expect(observer.alive('mcp-bridge')).toMatchObject([{ instance: 'observer' }]);
  list.forget();
  await observer.renew();
  expect(observer.isDead('bridge')).toBe(true);
  expect(await bridge.mayAct('bridge', signal)).toBe(false);
});

test('where the list is complete, who is not in it is dead at once', async () => {
  const { list, member } = world();
  list.isComplete = true;
  const observer = member('observer');
  await observer.renew();
  expect(observer.isDead('anybody')).toBe(true);
});

test('a store that forgot everybody does not bring the dead back to life, nor kill the living', async () => {
  const { clock, list, member } = world();
  const observer = member('observer');
  const living = member('living');
  await Promise.all([member('silent').renew(), living.renew(), observer.renew()]);
  await observer.renew();
  list.forget();
  for (let passed = 0; passed < 3; passed += 1) {
    await clock.pass(third);
    await living.renew();
    await observer.renew();
  }
  expect(observer.isDead('silent')).toBe(true);
  expect(observer.isDead('living')).toBe(false);
});

test('a process that nobody can have taken for dead acts at once, and waits for a renewal when the last is old', async () => {
  const { clock, member } = world();
  const bridge = member('bridge', { renames: true });
  await bridge.renew();
  expect(await bridge.mayAct('bridge', signal)).toBe(true);
  await clock.pass(ttlMs / 2);
  let answer: boolean | undefined;
  const asked = bridge.mayAct('bridge', signal).then((may) => {
    answer = may;
  });
  await clock.pass(10);
  expect(answer).toBeUndefined();
  await bridge.renew();
  await asked;
  expect(answer).toBe(true);
});

test('a process that was frozen for six times to live never acts under its id again, and goes on under another', async () => {
  const { clock, member } = world();
  const bridge = member('bridge', { renames: true });
  await bridge.renew();
  await clock.pass(6 * ttlMs);
  // What was asked before is looked at first, then the renewal that is long due.
  const asked = bridge.mayAct('bridge', signal);
  expect(await bridge.renew()).toBe(true);
  expect(await asked).toBe(false);
  expect(await bridge.mayAct('bridge', signal)).toBe(false);
  expect(bridge.instance).not.toBe('bridge');
  expect(bridge.hasBeen('bridge')).toBe(true);
  expect(bridge.hasBeen('another')).toBe(false);
  expect(await bridge.mayAct(bridge.instance, signal)).toBe(true);
});

test('whenever an observer takes an instance for dead, that instance may not act under that id any more', async () => {
  const { clock, list, member } = world();
  const observer = member('observer');
  const bridge = member('bridge', { renames: true });
  await bridge.renew();
  await observer.renew();
  for (let passed = 0; passed < 3; passed += 1) {
    await clock.pass(third);
    await observer.renew();
  }
  expect(observer.isDead('bridge')).toBe(true);
  // The renewal comes through, and is heard of after the judgement.
  list.answer = () => clock.pass(1);
  await bridge.renew();
  expect(await bridge.mayAct('bridge', signal)).toBe(false);
});

test('an id is settled once nobody can judge any more by what was known before it', async () => {
  const { clock, member } = world();
  const observer = member('observer');
  const bridge = member('bridge', { renames: true });
  await bridge.renew();
  const renamed = bridge.renamed('bridge', signal);
  await observer.renew();
  for (let passed = 0; passed < 3; passed += 1) {
    await clock.pass(third);
    await observer.renew();
  }
  // Right after that the bridge goes on, and the observer does not hear of it.
  await bridge.renew();
  await renamed;
  let settled: string | undefined;
  const settling = bridge.settled(signal).then((instance) => {
    settled = instance;
  });
  const mayJudge = () =>
    observer.isDead('bridge') && !observer.alive('mcp-bridge').some(({ instance }) => instance !== 'observer');
  for (let passed = 0; passed < 4; passed += 1) {
    expect(settled).toBeUndefined();
    expect(mayJudge()).toBe(passed < 3);
    await clock.pass(third);
    await bridge.renew();
  }
  await settling;
  expect(settled).toBe(bridge.instance);
  expect(settled).not.toBe('bridge');
});

test('who was taken for dead, and keeps its id, begins nothing before everybody has heard of it again', async () => {
  const { clock, member } = world();
  const observer = member('observer');
  const frozen = member('frozen');
  await frozen.renew();
  await observer.renew();
  expect(frozen.isFresh()).toBe(true);
  for (let passed = 0; passed < 3; passed += 1) {
    await clock.pass(third);
    await observer.renew();
  }
  // Right after that it goes on, and the observer does not hear of it.
  await frozen.renew();
  for (let passed = 0; passed < 4; passed += 1) {
    expect(observer.isDead('frozen')).toBe(passed < 3);
    expect(frozen.isFresh()).toBe(false);
    await clock.pass(third);
    await frozen.renew();
  }
  expect(frozen.isFresh()).toBe(true);
});

test('where answers take long, nobody is taken for dead, and who renews goes on beginning what must not run twice', async () => {
  const { clock, list } = world();
  const slow: Beat = async (self, stop) => {
    await clock.sleep(ttlMs / 4);
    return list.beat(self, stop);
  };
  const shared = { beat: slow, clock, ttlMs, role: 'orchestrator' };
  const [one, other] = [new Heartbeat({ ...shared, instance: 'one' }), new Heartbeat({ ...shared, instance: 'other' })];
  const running = [one, other].map((each) => each.run(() => undefined));
  let fresh = 0;
  for (let passed = 0; passed < 10 * ttlMs; passed += step) {
    await clock.pass(step);
    if (passed > ttlMs && one.isFresh()) fresh += step;
    expect(one.isDead('other')).toBe(false);
  }
  expect(fresh).toBeGreaterThan(5 * ttlMs);
  for (const each of [one, other]) each.stop();
  await clock.pass(ttlMs);
  await Promise.all(running);
});

test('who was frozen begins at once again where nobody else is who could judge', async () => {
  const { clock, list, member } = world();
  list.isComplete = true;
  const only = member('only');
  await only.renew();
  await clock.pass(3 * ttlMs);
  expect(only.isFresh()).toBe(false);
  await only.renew();
  expect(only.isFresh()).toBe(true);
});

test('a renewal whose answer took too long is no proof: the id is given up', async () => {
  const { clock, list, member } = world();
  const bridge = member('bridge', { renames: true });
  await bridge.renew();
  await clock.pass(ttlMs / 2);
  list.answer = () => clock.pass(ttlMs / 2);
  expect(await bridge.renew()).toBe(false);
  expect(await bridge.mayAct('bridge', signal)).toBe(false);
  list.answer = () => Promise.resolve();
  await bridge.renew();
  expect(await bridge.mayAct(bridge.instance, signal)).toBe(true);
  expect(list.of(bridge.instance)).toBeDefined();
});

test('while the store is away for longer, whoever waits to act is told no, not left waiting', async () => {
  const { clock, list, member } = world();
  const bridge = member('bridge', { renames: true });
  const running = bridge.run(() => undefined);
  await clock.pass(0);
  list.isAway = true;
  await clock.pass(third);
  const asked = bridge.mayAct('bridge', signal);
  await clock.pass(third);
  const later = bridge.mayAct('bridge', signal);
  await clock.pass(third);
  expect(await asked).toBe(true);
  expect(await later).toBe(false);
  bridge.stop();
  await running;
});

test('where every other heartbeat gets no answer, nobody loses its id, and the dead are found all the same', async () => {
  const { clock, list, member } = world();
  const everyOther = (): Beat => {
    let beats = 0;
    return async (self, stop) => {
      beats += 1;
      if (beats % 2 === 1) return list.beat(self, stop);
      await clock.sleep(ttlMs / 5);
      throw new Error('no answer');
    };
  };
  const shared = { clock, ttlMs, role: 'mcp-bridge' };
  const bridge = new Heartbeat({ ...shared, beat: everyOther(), instance: 'bridge', renames: true });
  const observer = new Heartbeat({ ...shared, beat: everyOther(), instance: 'observer' });
  await member('silent').renew();
  const running = [bridge, observer].map((one) => one.run(() => undefined));
  for (let passed = 0; passed < 3 * ttlMs; passed += step) await clock.pass(step);
  expect(bridge.instance).toBe('bridge');
  expect(observer.isDead('bridge')).toBe(false);
  expect(observer.isDead('silent')).toBe(true);
  for (const one of [bridge, observer]) one.stop();
  await clock.pass(ttlMs);
  await Promise.all(running);
});

test('who hears no answers is dead to others, though its heartbeats arrive; and lives again when it hears', async () => {
  const { clock, list, member } = world();
  let isDeaf = false;
  const beat: Beat = async (self, stop) => {
    const answer = await list.beat(self, stop);
    if (isDeaf) throw new Error('no answer');
    return answer;
  };
  const deaf = new Heartbeat({ beat, clock, ttlMs, instance: 'deaf', role: 'orchestrator' });
  const observer = member('observer');
  const running = [deaf, observer].map((one) => one.run(() => undefined));
  await clock.pass(0);
  isDeaf = true;
  for (let passed = 0; passed < 3 * ttlMs; passed += step) await clock.pass(step);
  expect(observer.isDead('deaf')).toBe(true);
  isDeaf = false;
  for (let passed = 0; passed < ttlMs; passed += step) await clock.pass(step);
  expect(observer.isDead('deaf')).toBe(false);
  for (let passed = 0; passed < ttlMs; passed += step) await clock.pass(step);
  expect(deaf.isFresh()).toBe(true);
  for (const one of [deaf, observer]) one.stop();
  await clock.pass(ttlMs);
  await Promise.all(running);
});
