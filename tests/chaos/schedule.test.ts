import { expect, test } from 'vitest';
import { nameOf, type ScheduleOptions, scheduleOf } from './schedule.ts';

const options: ScheduleOptions = {
  seed: 7,
  faults: 205,
  cuts: 5,
  cutMs: 35_000,
  ttlMs: 1_000,
  replicas: { orchestrator: 2, approvals: 2, store: 2, 'mcp-bridge': 2, gateway: 2, tools: 2, nats: 1 },
};

test('the seed decides the schedule', () => {
  expect(scheduleOf(options)).toEqual(scheduleOf(options));
  expect(scheduleOf({ ...options, seed: 8 })).not.toEqual(scheduleOf(options));
});

test('every kind of fault strikes every part, and every replica, at least five times', () => {
  const schedule = scheduleOf(options);
  const counts = new Map<string, number>();
  for (const fault of schedule) counts.set(nameOf(fault), (counts.get(nameOf(fault)) ?? 0) + 1);
  expect(schedule).toHaveLength(options.faults);
  expect(counts.size).toBe(3 * 7 + 2);
  expect(schedule.filter(({ kind }) => kind === 'cut')).toHaveLength(options.cuts);
  for (const [name, count] of counts) if (!name.startsWith('cut')) expect(count, name).toBeGreaterThanOrEqual(5);
  const targets = new Set(schedule.map((fault) => (fault.kind === 'cut' ? '' : `${fault.part}-${fault.replica}`)));
  expect(targets.size).toBe(13 + 1);
});
