import { create, toBinary } from '@bufbuild/protobuf';
import { views } from '@stopgo/proto';
import { expect, test } from 'vitest';
import type { SqlValue } from '../src/adapters/sqlite/database.ts';
import { saidInContext } from '../src/adapters/sqlite-views/said-in-context.ts';
import { contextRowsMax } from '../src/bounds.ts';

const context = { id: 'ours', principal: 'anonymous' };
const most = { textsMax: 128, bytesMax: 64 * 1024 };

/** As many conversations as anybody asks for, of which the first holds a text. */
function endless() {
  let walked = 0;
  const bytes = toBinary(views.MessageSchema, create(views.MessageSchema, { role: 'user', content: 'hello' }));
  return {
    walked: () => walked,
    ofContext: (...[, , before, limit]: readonly SqlValue[]) => {
      const [from, most] = [Number(before), Number(limit)];
      walked += most;
      return Array.from({ length: most }, (_, index) => ({ key: from - 1 - index, id: `c${from - 1 - index}` }));
    },
    toldBefore: () => (walked <= 16 ? [{ key: 1, bytes }] : []),
  };
}

test('empty conversations of a context are not walked without end, and it is said that something was left out', () => {
  const tables = endless();
  const { texts, leftOut } = saidInContext(tables, context, most);
  expect([texts.length, leftOut]).toEqual([16, true]);
  expect(tables.walked()).toBeLessThanOrEqual(contextRowsMax);
});
