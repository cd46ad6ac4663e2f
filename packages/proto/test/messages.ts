// Random messages of any type, made from its descriptor.
import { create, type DescField, type DescMessage, type DescOneof, type Message, ScalarType } from '@bufbuild/protobuf';
import fc from 'fast-check';

type Members = Record<string, unknown>;

const int32 = fc.oneof(fc.integer(), fc.constantFrom(0, 1, -1, 127, 128, 0x7fff_ffff, -0x8000_0000));
const uint32 = fc.oneof(fc.nat(), fc.constantFrom(0, 127, 128, 16_383, 16_384, 0x8000_0000, 0xffff_ffff));
const int64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(0n, -1n, 127n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 63n - 1n, -(2n ** 63n)),
);
const uint64 = int64.map((value) => BigInt.asUintN(64, value));
const double = fc.oneof(fc.double(), fc.constantFrom(0, -0, Number.NaN, Number.POSITIVE_INFINITY));
const characters = fc.constantFrom(
  'a',
  '~',
  '\0',
  '\x7f',
  '\x80',
  'é',
  '€',
  '\ufeff',
  '\ufffd',
  '😀',
  '\ud800',
  '\udc00',
);
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.array(characters, { maxLength: 60 }).map((all) => all.join('')),
  fc
    .tuple(fc.constantFrom(39, 40, 41, 48, 49, 127, 128, 129, 1_023, 1_025, 5_462, 16_384), characters, characters)
    .map(([length, filling, last]) => filling.repeat(length - 1) + last),
);
const bytes = fc.oneof(
  fc.uint8Array(),
  fc.nat(300).map((length) => new Uint8Array(length)),
);

const scalars: Readonly<Record<ScalarType, fc.Arbitrary<unknown>>> = {
  [ScalarType.STRING]: text,
  [ScalarType.BYTES]: bytes,
  [ScalarType.BOOL]: fc.boolean(),
  [ScalarType.UINT32]: uint32,
  [ScalarType.FIXED32]: uint32,
  [ScalarType.INT32]: int32,
  [ScalarType.SINT32]: int32,
  [ScalarType.SFIXED32]: int32,
  [ScalarType.FLOAT]: fc.oneof(fc.float(), fc.constantFrom(0, -0, 0.1)),
  [ScalarType.DOUBLE]: double,
  [ScalarType.UINT64]: uint64,
  [ScalarType.FIXED64]: uint64,
  [ScalarType.INT64]: int64,
  [ScalarType.SINT64]: int64,
  [ScalarType.SFIXED64]: int64,
};

/** Fields that no contract has, as they look when they have been read. */
const unknownFields = fc.array(
  fc.oneof(
    fc.record({
      no: fc.integer({ min: 50_000, max: 0x1fff_ffff }),
      wireType: fc.constant(0),
      data: fc.constant(Uint8Array.of(0x96, 1)),
    }),
    fc.record({
      no: fc.constant(50_001),
      wireType: fc.constant(1),
      data: fc.uint8Array({ minLength: 8, maxLength: 8 }),
    }),
    fc.record({ no: fc.constant(50_002), wireType: fc.constant(2), data: fc.constant(Uint8Array.of(2, 0xff, 0)) }),
    fc.record({
      no: fc.constant(50_003),
      wireType: fc.constant(5),
      data: fc.uint8Array({ minLength: 4, maxLength: 4 }),
    }),
  ),
  { minLength: 1, maxLength: 3 },
);

const made = new Map<string, fc.Arbitrary<Message>>();

/** Messages of a type, with messages in them to some depth. */
export function messages(desc: DescMessage, depth = 3): fc.Arbitrary<Message> {
  const name = `${desc.typeName} ${depth}`;
  const known = made.get(name);
  if (known !== undefined) return known;
  const all = desc.members.flatMap((member) => {
    const values = member.kind === 'oneof' ? choices(member, depth) : fieldValues(member, depth);
    return values === undefined ? [] : [[member.localName, values] as const];
  });
  const arbitrary = fc
    .record({ ...Object.fromEntries(all), $unknown: unknownFields }, { requiredKeys: [] })
    .map((members) => withMembers(desc, members));
  made.set(name, arbitrary);
  return arbitrary;
}

function withMembers(desc: DescMessage, members: Members): Message {
  const message = create(desc);
  for (const [name, value] of Object.entries(members)) (message as unknown as Members)[name] = value;
  return message;
}

function choices(oneof: DescOneof, depth: number): fc.Arbitrary<unknown> | undefined {
  const cases = oneof.fields.flatMap((field) => {
    const values = fieldValues(field, depth);
    return values === undefined ? [] : [values.map((value) => ({ case: field.localName, value }))];
  });
  return cases.length === 0 ? undefined : fc.oneof(...cases);
}

/** Nothing for a message that would be too deep. */
function fieldValues(field: DescField, depth: number): fc.Arbitrary<unknown> | undefined {
  const values = singleValues(field, depth);
  if (values === undefined) return undefined;
  if (field.fieldKind === 'list') return fc.array(values, { maxLength: 4 });
  if (field.fieldKind !== 'map') return values;
  return fc.array(fc.tuple(scalars[field.mapKey], values), { maxLength: 4 }).map((entries) => {
    const map: Members = {};
    for (const [key, value] of entries) map[String(key)] = value;
    return map;
  });
}

function singleValues(field: DescField, depth: number): fc.Arbitrary<unknown> | undefined {
  if (field.message !== undefined) return depth === 0 ? undefined : messages(field.message, depth - 1);
  if (field.enum !== undefined) {
    return fc.oneof(fc.constantFrom(...field.enum.values.map(({ number }) => number)), fc.constantFrom(99, -99));
  }
  return scalars[field.scalar as ScalarType];
}
