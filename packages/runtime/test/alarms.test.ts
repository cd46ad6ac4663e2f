import { expect, test } from 'vitest';
import { Alarms } from '../src/logging/alarms.ts';
import { createLogger } from '../src/logging/logger.ts';
import { createRedactor } from '../src/logging/secrets.ts';

test('each kind of line stands once, the latest first, with how often it was written', () => {
  const alarms = new Alarms();
  alarms.note('warn', 'slow', '{"ms":1}', 10);
  alarms.note('error', 'gone', '{}', 20);
  alarms.note('warn', 'slow', '{"ms":2}', 30);
  expect(alarms.list()).toEqual([
    { level: 'warn', message: 'slow', fieldsJson: '{"ms":2}', count: 2, firstAt: 10, lastAt: 30 },
    { level: 'error', message: 'gone', fieldsJson: '{}', count: 1, firstAt: 20, lastAt: 20 },
  ]);
});

test('of more kinds than are kept, the one that was written longest ago is forgotten', () => {
  const alarms = new Alarms();
  for (let kind = 0; kind < 150; kind++) {
    alarms.note('warn', `kind ${kind}`, '{}', kind);
    alarms.note('error', 'again and again', '{}', kind);
  }
  const kept = alarms.list();
  expect([kept.length, kept.at(-1)?.message]).toEqual([51, 'kind 100']);
  expect(kept.find(({ level }) => level === 'error')).toMatchObject({ message: 'again and again', count: 150 });
});

test('warnings push out no error, and no text is kept beyond a bound', () => {
  const alarms = new Alarms();
  alarms.note('error', 'gone', '{}', 1);
  for (let kind = 0; kind < 150; kind++) alarms.note('warn', `${kind} ${'x'.repeat(5_000)}`, '{}', 2);
  const kept = alarms.list();
  expect(kept.at(-1)?.message).toBe('gone');
  expect(Math.max(...kept.map(({ message }) => message.length))).toBe(1_001);
});

test('fields that are too long are left out', () => {
  const alarms = new Alarms();
  alarms.note('warn', 'long', JSON.stringify({ text: 'x'.repeat(5_000) }), 1);
  expect(alarms.list()[0]?.fieldsJson).toBe('{}');
});

test('a logger notes warnings and errors, also those below its level, and no secret', () => {
  const alarms = new Alarms();
  const redactor = createRedactor();
  redactor.registerSecret('hunter2-hunter2');
  const lines: string[] = [];
  const log = createLogger({
    level: 'error',
    format: 'json',
    destination: { write: (line) => lines.push(line) },
    redactor,
    alarms,
    now: () => new Date(5),
  });
  log.info('fine');
  log.child({ server: 'bank' }).warn('hunter2-hunter2 failed', { why: 'hunter2-hunter2', password: 'x' });
  expect(lines).toEqual([]);
  const fieldsJson = '{"server":"bank","why":"[secret]","password":"[secret]"}';
  expect(alarms.list()).toEqual([
    { level: 'warn', message: '[secret] failed', fieldsJson, count: 1, firstAt: 5, lastAt: 5 },
  ]);
});
