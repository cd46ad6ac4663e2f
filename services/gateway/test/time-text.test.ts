import { expect, test } from 'vitest';
import { timeFrom } from '../src/time-text.ts';

test.each([
  ['2027-01-31T12:00:00Z', Date.UTC(2027, 0, 31, 12)],
  ['2028-02-29T00:00:00.5+02:00', Date.UTC(2028, 1, 28, 22, 0, 0, 500)],
  ['2027-01-31T12:00Z', Date.UTC(2027, 0, 31, 12)],
])('%s is a time', (text, time) => {
  expect(timeFrom(text)).toBe(time);
});

test.each([
  'soon',
  '2027-01-31',
  '2027-01-31T12:00:00',
  '2027-02-29T00:00:00Z',
  '2030-02-31T00:00:00Z',
  '2030-13-01T00:00:00Z',
  '2030-00-01T00:00:00Z',
  '2030-01-00T00:00:00Z',
  '2030-01-01T24:00:00Z',
  '2030-01-01T25:00:00Z',
  '1969-12-31T23:59:59Z',
])('%s is none', (text) => {
  expect(timeFrom(text)).toBeUndefined();
});
