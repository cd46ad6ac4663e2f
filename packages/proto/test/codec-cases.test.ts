// What a random message or random bytes seldom are.
import assert from 'node:assert';
import {
  create as createdByLibrary,
  type DescMessage,
  fromBinary as libraryRead,
  toBinary as libraryWrite,
  type MessageShape,
} from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { create, envelope, exchange, facts, fromBinary, mcp, store, toBinary } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { decode, encode } from '../src/codec/coder.ts';
import { LeftToLibrary } from '../src/codec/writer.ts';
import { codecs as kinds } from './gen/codecs.ts';
import {
  ChoicesSchema,
  KindsSchema,
  ListsSchema,
  MapsSchema,
  OptionalsSchema,
} from './gen/stopgo/testing/v1/kinds_pb.ts';

const { EnvelopeSchema } = envelope;

/** What a function gives, or says. */
function outcome(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return String(error);
  }
}

function codecOf(schema: DescMessage) {
  const codec = kinds.get(schema);
  if (codec === undefined) throw new Error(`no code for ${schema.typeName}`);
  return codec;
}

/** Reads with the generated code alone; what that does not read throws. */
const readAlone = <Desc extends DescMessage>(schema: Desc, bytes: Uint8Array) =>
  decode(codecOf(schema), bytes) as MessageShape<Desc>;

function bytesOf(...fields: readonly (readonly [number, WireType, (writer: BinaryWriter) => unknown])[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const [number, wireType, write] of fields) write(writer.tag(number, wireType));
  return writer.finish();
}

describe('encoding', () => {
  test.each<[string, DescMessage, object]>([
    ['a number below zero', EnvelopeSchema, { revision: -1 }],
    ['a number that is too large', EnvelopeSchema, { revision: 2 ** 32 }],
    ['a number with a fraction', EnvelopeSchema, { revision: 1.5 }],
    ['no number', EnvelopeSchema, { revision: Number.NaN }],
    ['a number as text', EnvelopeSchema, { revision: '12' }],
    ['an undefined number', EnvelopeSchema, { revision: undefined }],
    ['an undefined text', EnvelopeSchema, { stream: undefined }],
    ['a number for a text', EnvelopeSchema, { stream: 7 }],
    ['undefined bytes', EnvelopeSchema, { payload: undefined }],
    ['a list for bytes', EnvelopeSchema, { payload: [1] }],
    ['a buffer for bytes', EnvelopeSchema, { payload: Buffer.from('x') }],
    ['a message of null', EnvelopeSchema, { actor: null }],
    ['an enum below zero', EnvelopeSchema, { actor: { ...create(envelope.ActorSchema), kind: -1 } }],
    ['an enum that is too large', EnvelopeSchema, { actor: { ...create(envelope.ActorSchema), kind: 2 ** 31 } }],
    ['an undefined enum', EnvelopeSchema, { actor: { ...create(envelope.ActorSchema), kind: undefined } }],
    ['an undefined boolean', EnvelopeSchema, { actor: { ...create(envelope.ActorSchema), claimed: undefined } }],
    ['a message of another type', EnvelopeSchema, { actor: create(EnvelopeSchema) }],
    ['another type', EnvelopeSchema, { $typeName: 'stopgo.events.v1.Actor' }],
    ['a large number below zero', mcp.FinishedSchema, { fullBytes: -1n }],
    ['a large number that is too large', mcp.FinishedSchema, { fullBytes: 2n ** 64n }],
    ['a number for a large number', mcp.FinishedSchema, { fullBytes: 5 }],
    ['a text for a large number', mcp.FinishedSchema, { fullBytes: '0' }],
    ['a text for a fraction', mcp.RunningSchema, { progress: '1.5' }],
    ['a fraction of minus zero', mcp.RunningSchema, { progress: -0 }],
    ['a oneof that is missing', facts.PayloadSchema, { fact: undefined }],
    ['a oneof with an unknown case', facts.PayloadSchema, { fact: { case: 'nothing', value: {} } }],
    ['a oneof without a value', facts.PayloadSchema, { fact: { case: 'runClaimed', value: undefined } }],
    ['undefined in a list of texts', mcp.RunningSchema, { lapsedQuestions: [undefined] }],
    ['undefined in a list of messages', mcp.RunningSchema, { questions: [undefined] }],
    ['a list that is missing', mcp.RunningSchema, { questions: undefined }],
    ['unknown fields of null', EnvelopeSchema, { $unknown: null }],
    ['an unknown field without data', EnvelopeSchema, { $unknown: [{ no: 99, wireType: 0 }] }],
  ])('gives or says what the library does: %s', (_, schema, members) => {
    const message = { ...createdByLibrary(schema), ...members } as never;
    expect(outcome(() => toBinary(schema, message))).toEqual(outcome(() => libraryWrite(schema, message)));
  });

  test.each<[string, DescMessage, object]>([
    ['int32Field', KindsSchema, { int32Field: 2 ** 31 }],
    ['sint32Field', KindsSchema, { sint32Field: -(2 ** 31) - 1 }],
    ['fixed32Field', KindsSchema, { fixed32Field: -1 }],
    ['sfixed32Field', KindsSchema, { sfixed32Field: 2 ** 31 }],
    ['floatField', KindsSchema, { floatField: 3.5e38 }],
    ['uint64Field', KindsSchema, { uint64Field: 2n ** 64n }],
    ['int64Field', KindsSchema, { int64Field: 2n ** 63n }],
    ['sint64Field', KindsSchema, { sint64Field: -(2n ** 63n) - 1n }],
    ['fixed64Field', KindsSchema, { fixed64Field: -1n }],
    ['sfixed64Field', KindsSchema, { sfixed64Field: 2n ** 63n }],
    ['int32s', MapsSchema, { int32s: { none: new Uint8Array() } }],
    ['uint64s', MapsSchema, { uint64s: { '-1': 1n } }],
    ['int64s', MapsSchema, { int64s: { x: 1n } }],
  ])('refuses what does not fit: %s', (_, schema, members) => {
    const message = { ...createdByLibrary(schema), ...members } as never;
    expect(() => libraryWrite(schema, message)).toThrow();
    expect(() => encode(codecOf(schema), message)).toThrow();
  });

  test.each([
    ['a number in another form', { int32s: { '0x10': new Uint8Array() } }],
    ['neither true nor false', { bools: { maybe: createdByLibrary(MapsSchema) } }],
  ])('leaves keys of maps that only the library understands to it: %s', (_, members) => {
    const message = { ...createdByLibrary(MapsSchema), ...members };
    expect(() => libraryWrite(MapsSchema, message)).not.toThrow();
    expect(() => encode(codecOf(MapsSchema), message)).toThrow(LeftToLibrary);
  });

  test('bytes are left alone by what is encoded afterwards, and are no longer than they must be', () => {
    const of = (text: string) => toBinary(EnvelopeSchema, create(EnvelopeSchema, { stream: text }));
    const first = of('first');
    const copy = first.slice();
    const large = of('x'.repeat(1_000_000));
    const last = of('later');
    assert.deepStrictEqual(first, copy);
    expect([first, last].map(({ buffer, byteOffset }) => [buffer.byteLength, byteOffset])).toEqual([
      [7, 0],
      [7, 0],
    ]);
    expect(large.buffer.byteLength).toBe(large.byteLength);
    expect(large.byteLength).toBe(1_000_004);
  });

  test('goes on as before after an error, and while another message is being encoded', () => {
    const codec = codecOf(KindsSchema);
    expect(() => encode(codec, createdByLibrary(KindsSchema, { stringField: 'half', uint32Field: -1 }))).toThrow();
    const inner = createdByLibrary(KindsSchema, { stringField: 'inner' });
    const outer = createdByLibrary(KindsSchema, { stringField: 'outer' });
    Object.defineProperty(outer, 'bytesField', { get: () => encode(codec, inner), enumerable: true });
    assert.deepStrictEqual(encode(codec, outer), libraryWrite(KindsSchema, outer));
  });

  test('leaves unknown fields out when asked to', () => {
    const message = fromBinary(EnvelopeSchema, bytesOf([99, WireType.Varint, (writer) => writer.uint32(5)]));
    expect(toBinary(EnvelopeSchema, message)).toHaveLength(3);
    expect(toBinary(EnvelopeSchema, message, { writeUnknownFields: false })).toHaveLength(0);
  });
});

describe('decoding', () => {
  test.each<[string, string]>([
    ['nothing', ''],
    ['the wrong wire type', '0801'],
    ['the wrong wire type for a message', '2001'],
    ['a packed list where there is none', '1a0101'],
    ['the number 0', '0001'],
    ['wire type 6', '0e'],
    ['the end of a group', '0c'],
    ['a group that nobody knows', 'bb06080abc06'],
    ['a group within a group', 'bb06c306c406bc06'],
    ['a group that does not end', 'bb0608'],
    ['a tag in more bytes than it takes', '8a80000161'],
    ['a tag of more than 32 bits', 'ffffffff1f01'],
    ['a tag of six bytes', '8a808080800001'],
    ['a text that is cut off', '0a0561'],
    ['a text of more than there can be', '0affffffff0f'],
    ['a text that is no UTF-8', '0a02c328'],
    ['a surrogate as UTF-8', '0a03eda080'],
    ['a byte order mark', '0a04efbbbf61'],
    ['two byte order marks', '0a06efbbbfefbbbf'],
    ['a number of 64 bits', '18ffffffffffffffffff01'],
    ['a number without an end', '18ffffffffffffffffffff01'],
    ['a number that is cut off', '18ff'],
    ['a boolean of 64 bits', '2a06188080808010'],
    ['a message longer than what holds it', '2a0a1001'],
    ['a message that reads on behind its end', '2a020a05616263646508'],
    ['an unknown number that is cut off', '9806ff'],
    ['an unknown text that is cut off', '9a0605'],
    ['unknown fixed numbers that are cut off', '9d060000'],
  ])('gives or says what the library does: %s', (_, hex) => {
    const bytes = Buffer.from(hex, 'hex');
    const ours = outcome(() => fromBinary(EnvelopeSchema, bytes));
    const theirs = outcome(() => libraryRead(EnvelopeSchema, bytes));
    assert.deepStrictEqual(ours, theirs);
  });

  test('takes bytes only, as the library', () => {
    for (const value of [undefined, null, [], 'x', {}] as never[]) {
      expect(outcome(() => fromBinary(EnvelopeSchema, value))).toEqual(
        outcome(() => libraryRead(EnvelopeSchema, value)),
      );
    }
  });

  test('gives bytes as views of what it is given, of the same class', () => {
    const bytes = toBinary(EnvelopeSchema, create(EnvelopeSchema, { payload: Uint8Array.of(1, 2, 3) }));
    const around = Buffer.concat([Buffer.from('..'), bytes]);
    const { payload } = fromBinary(EnvelopeSchema, around.subarray(2));
    expect([payload.buffer === around.buffer, payload instanceof Buffer]).toEqual([true, true]);
    expect(fromBinary(EnvelopeSchema, bytes).payload).not.toBeInstanceOf(Buffer);
  });

  test('the last of a oneof counts, and only the same one is merged', () => {
    const part = (number: number, inner: Uint8Array) =>
      bytesOf([number, WireType.LengthDelimited, (writer) => writer.bytes(inner)]);
    const [one, other] = [
      bytesOf([1, WireType.LengthDelimited, (writer) => writer.string('text')]),
      bytesOf([4, WireType.Varint, (writer) => writer.uint32(7)]),
    ];
    const merged = Buffer.concat([part(3, one), part(3, other)]);
    expect(readAlone(ChoicesSchema, merged).first.value).toMatchObject({ stringField: 'text', uint32Field: 7 });
    const apart = Buffer.concat([part(3, one), part(5, new Uint8Array()), part(3, other)]);
    assert.deepStrictEqual(readAlone(ChoicesSchema, apart), libraryRead(ChoicesSchema, apart));
    expect(readAlone(ChoicesSchema, apart).first.value).toMatchObject({ stringField: '', uint32Field: 7 });
  });

  test('lists may be packed or not, and in parts', () => {
    const packed = bytesOf([4, WireType.LengthDelimited, (writer) => writer.fork().uint32(1).uint32(300).join()]);
    const single = bytesOf([4, WireType.Varint, (writer) => writer.uint32(5)]);
    const bytes = Buffer.concat([packed, single, packed]);
    expect(readAlone(ListsSchema, bytes).uint32s).toEqual([1, 300, 5, 1, 300]);
    const unpacked = bytesOf([5, WireType.LengthDelimited, (writer) => writer.fork().int32(-1).int32(1).join()]);
    expect(readAlone(ListsSchema, unpacked).int32s).toEqual([-1, 1]);
  });

  test('entries of maps may lack their key or value, and the last one counts', () => {
    const entry = (key: string | undefined, value: string | undefined) =>
      bytesOf([
        1,
        WireType.LengthDelimited,
        (writer) => {
          writer.fork();
          if (value !== undefined) writer.tag(2, WireType.LengthDelimited).string(value);
          if (key !== undefined) writer.tag(1, WireType.LengthDelimited).string(key);
          writer.join();
        },
      ]);
    const bytes = Buffer.concat([entry('a', 'x'), entry(undefined, 'y'), entry('b', undefined), entry('a', 'z')]);
    expect(readAlone(MapsSchema, bytes).strings).toEqual({ a: 'z', '': 'y', b: '' });
    assert.deepStrictEqual(readAlone(MapsSchema, bytes), libraryRead(MapsSchema, bytes));
  });

  test('unknown fields of a message in parts are kept together', () => {
    const one = bytesOf([99, WireType.Varint, (writer) => writer.uint32(1)]);
    const two = bytesOf([98, WireType.LengthDelimited, (writer) => writer.string('x')]);
    const bytes = bytesOf(
      [8, WireType.LengthDelimited, (writer) => writer.bytes(one)],
      [8, WireType.LengthDelimited, (writer) => writer.bytes(two)],
    );
    const ours = readAlone(OptionalsSchema, bytes);
    assert.deepStrictEqual(ours, libraryRead(OptionalsSchema, bytes));
    expect(ours.kinds?.$unknown).toHaveLength(2);
  });

  test('messages are followed as deep as by the library', () => {
    const nested = (depth: number) => {
      let bytes = new Uint8Array();
      for (let level = 1; level < depth; level += 1) {
        const inner = bytes;
        bytes = bytesOf([17, WireType.LengthDelimited, (writer) => writer.bytes(inner)]) as typeof bytes;
      }
      return bytes;
    };
    assert.deepStrictEqual(readAlone(KindsSchema, nested(100)), libraryRead(KindsSchema, nested(100)));
    expect(() => libraryRead(KindsSchema, nested(101))).toThrow();
    expect(() => readAlone(KindsSchema, nested(101))).toThrow();
    // As many beside each other are no deeper.
    const flat = Buffer.concat(Array.from({ length: 200 }, () => nested(2)));
    assert.deepStrictEqual(readAlone(KindsSchema, flat), libraryRead(KindsSchema, flat));
  });
});

describe('creating', () => {
  test('gives a message that is one already as it is, also within another', () => {
    const actor = create(envelope.ActorSchema, { id: 'somebody' });
    expect(create(envelope.ActorSchema, actor)).toBe(actor);
    expect(create(EnvelopeSchema, { actor }).actor).toBe(actor);
    const event = create(store.NewEventSchema);
    expect(create(store.AppendRequestSchema, { events: [event] }).events[0]).toBe(event);
  });

  test('passes over null, and a oneof that says nothing', () => {
    for (const given of [
      { frame: null },
      { frame: { case: undefined } },
      { frame: { case: 'nothing', value: 1 } },
      { callId: null },
    ]) {
      const ours = create(exchange.ClientFrameSchema, given as never);
      assert.deepStrictEqual(ours, createdByLibrary(exchange.ClientFrameSchema, given as never));
    }
  });

  test('gives each message lists, oneofs and bytes of its own', () => {
    const [one, other] = [create(ListsSchema), create(ListsSchema)];
    expect(one.strings).not.toBe(other.strings);
    const [first, second] = [create(facts.PayloadSchema), create(facts.PayloadSchema)];
    expect(first.fact).not.toBe(second.fact);
    expect(create(EnvelopeSchema).payload).not.toBe(create(EnvelopeSchema).payload);
  });
});
