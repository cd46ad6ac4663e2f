/**
 * Records the scenarios that have no file yet: `npm run record-golden -w @stopgo/core`.
 *
 * A file that exists is never touched. It stands for conversations that are stored somewhere; today's code must read them.
 * To record one anew, delete it by hand, and say in the commit why no stored conversation can look like the old one.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chainStart } from '@stopgo/core';
import { given } from '../specification.ts';
import { envelopeOf, type GoldenLine, replay, toBase64 } from './lines.ts';
import { scenarios } from './scenarios.ts';

for (const [name, happenings] of Object.entries(scenarios)) {
  const path = join(import.meta.dirname, `${name}.jsonl`);
  if (existsSync(path)) continue;
  const envelopes = given(...happenings).log.map((event) => envelopeOf(event, name));
  const lines = replay(envelopes, chainStart).map(({ summary, ...rest }, index): GoldenLine => {
    return { summary, envelope: toBase64(envelopes[index] as Uint8Array), ...rest };
  });
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  console.log(`recorded ${name}: ${lines.length} events`);
}
