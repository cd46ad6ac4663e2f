// The generated code against the library: the same bytes, the same messages, for every type.
import assert from 'node:assert';
import {
  type DescMessage,
  create as libraryCreate,
  fromBinary as libraryRead,
  toBinary as libraryWrite,
  type Message,
} from '@bufbuild/protobuf';
import { approvals, batch, envelope, exchange, facts, mcp, orchestrator, store, views } from '@stopgo/proto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tierOf } from '../../../tests/tiers.ts';
import type { Codec } from '../src/codec/codec.ts';
import { decode, encode } from '../src/codec/coder.ts';
import { codecs as contracts } from '../src/gen/codecs.ts';
import { codecs as kinds } from './gen/codecs.ts';
import { HoldsSpecialSchema, SpecialSchema } from './gen/stopgo/testing/v1/kinds_pb.ts';
import { messages } from './messages.ts';

const numRuns = tierOf(process.env) === 'quick' ? 8 : 25;
const all = [...new Map([...kinds, ...contracts])].map(([desc, codec]) => ({ name: desc.typeName, desc, codec }));

/** What deepStrictEqual does not see: the order of properties, and whose memory bytes are in. */
function layout(value: unknown, source: Uint8Array): unknown {
  if (value instanceof Uint8Array) {
    const isView = value.buffer === source.buffer;
    return `${value.constructor.name} ${value.length} ${isView} ${isView ? value.byteOffset : 0}`;
  }
  if (Array.isArray(value)) return value.map((one) => layout(one, source));
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.entries(value).map(([name, one]) => [name, layout(one, source)]);
}

function same(ours: unknown, theirs: unknown, source: Uint8Array): void {
  assert.deepStrictEqual(ours, theirs);
  assert.deepStrictEqual(layout(ours, source), layout(theirs, source));
}

/** Whatever bytes these are: what is read is what the library reads, and is written as the library writes it. */
function agree(codec: Codec, desc: DescMessage, bytes: Uint8Array): void {
  let ours: Message;
  try {
    ours = decode(codec, bytes);
  } catch {
    return; // It is left to the library.
  }
  same(ours, libraryRead(desc, bytes), bytes);
  // Which bits of a NaN outlive being a number is the engine's to choose, each time anew: what they are read as is compared instead.
  const [written, expected] = [encode(codec, ours), libraryWrite(desc, ours)];
  assert.equal(written.length, expected.length);
  same(libraryRead(desc, written), libraryRead(desc, expected), bytes);
}

/** Some of a message's members, as one would write them down. */
function written(message: Message, seed: number): Record<string, unknown> {
  let random = seed;
  const some = (value: unknown): unknown => {
    random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
    const one = (random >>> 16) % 8;
    if (value instanceof Uint8Array) return one < 4 ? [...value] : value;
    if (Array.isArray(value)) return value.map(some);
    if (typeof value !== 'object' || value === null) return one === 0 ? undefined : value;
    if ('$typeName' in value && one === 1) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, part]) =>
        name === '$typeName' || name === '$unknown' ? [] : [[name, name === 'case' ? part : some(part)]],
      ),
    );
  };
  return some({ ...message, $typeName: undefined }) as Record<string, unknown>;
}

describe.each(all)('$name', ({ desc, codec }) => {
  test('is written and read as by the library', () => {
    fc.assert(
      fc.property(messages(desc), (message) => {
        const bytes = encode(codec, message);
        assert.deepStrictEqual(bytes, libraryWrite(desc, message));
        same(decode(codec, bytes), libraryRead(desc, bytes), bytes);
      }),
      { numRuns },
    );
  });

  test('is merged as by the library when it comes in parts', () => {
    fc.assert(
      fc.property(messages(desc), messages(desc), (one, other) => {
        const bytes = Buffer.concat([libraryWrite(desc, one), libraryWrite(desc, other)]);
        same(decode(codec, bytes), libraryRead(desc, bytes), bytes);
      }),
      { numRuns },
    );
  });

  test('is read as by the library from any bytes, if it is read at all', () => {
    const change = fc.tuple(fc.nat(), fc.nat(3), fc.uint8Array({ minLength: 1, maxLength: 3 }));
    fc.assert(
      fc.property(
        messages(desc),
        fc.array(change, { minLength: 1, maxLength: 3 }),
        fc.uint8Array(),
        (message, changes, noise) => {
          agree(codec, desc, noise);
          let bytes = libraryWrite(desc, message);
          for (const [at, removed, added] of changes) {
            const where = at % (bytes.length + 1);
            bytes = new Uint8Array(Buffer.concat([bytes.slice(0, where), added, bytes.slice(where + removed)]));
          }
          agree(codec, desc, bytes);
          agree(codec, desc, bytes.slice(0, -1));
        },
      ),
      { numRuns },
    );
  });

  test('is created as by the library', () => {
    fc.assert(
      fc.property(messages(desc), fc.nat(), (message, seed) => {
        const given = written(message, seed);
        same(codec.create(given), libraryCreate(desc, given as never), new Uint8Array());
        same(codec.zero(), libraryCreate(desc), new Uint8Array());
      }),
      { numRuns },
    );
  });
});

test('there is code for every message of the contracts', () => {
  const modules = [approvals, batch, envelope, exchange, facts, mcp, orchestrator, store, views];
  const schemas = modules
    .flatMap((one) => Object.values<unknown>(one))
    .filter((one): one is DescMessage => {
      return typeof one === 'object' && (one as DescMessage).kind === 'message';
    });
  expect(schemas.length).toBeGreaterThan(100);
  expect(schemas.filter((schema) => !contracts.has(schema)).map(({ typeName }) => typeName)).toEqual([]);
});

test('messages that are represented in a way of their own are left out, with those that hold them', () => {
  expect([SpecialSchema, HoldsSpecialSchema].map((schema) => kinds.has(schema))).toEqual([false, false]);
});
