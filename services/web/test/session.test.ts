import { expect, test } from 'vitest';
import { isDue, sessionWith } from '../src/login/session.ts';

const hour = 3_600_000;
const ofAda = { person: 'ada', until: 12 * hour };

test('a token of which nobody says when it ends is renewed before long, where it can be, and else kept to the end', () => {
  const renewable = sessionWith({ token: 't', refreshToken: 'r' }, ofAda, 0);
  expect(isDue(renewable, 0)).toBe(false);
  expect(isDue(renewable, hour / 4)).toBe(true);
  expect(renewable.tokenUntil).toBeLessThan(hour);
  const lasting = sessionWith({ token: 't' }, ofAda, 0);
  expect(lasting.tokenUntil).toBe(ofAda.until);
  expect(isDue(lasting, 11 * hour)).toBe(false);
});
