// What the parts of the generator have in common: which messages they can do, and how things are called in the output.
import { ScalarType } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';

/** For each scalar: the method of the writer and of the reader, its wire type, what the library takes for its zero. */
export const SCALARS = new Map([
  [ScalarType.STRING, { method: 'string', wireType: 2, zero: "''" }],
  [ScalarType.BYTES, { method: 'bytes', wireType: 2, zero: 'new Uint8Array(0)' }],
  [ScalarType.BOOL, { method: 'bool', wireType: 0, zero: 'false' }],
  [ScalarType.UINT32, { method: 'uint32', wireType: 0, zero: '0' }],
  [ScalarType.INT32, { method: 'int32', wireType: 0, zero: '0' }],
  [ScalarType.SINT32, { method: 'sint32', wireType: 0, zero: '0' }],
  [ScalarType.FIXED32, { method: 'fixed32', wireType: 5, zero: '0' }],
  [ScalarType.SFIXED32, { method: 'sfixed32', wireType: 5, zero: '0' }],
  [ScalarType.FLOAT, { method: 'float', wireType: 5, zero: '0' }],
  [ScalarType.DOUBLE, { method: 'double', wireType: 1, zero: '0' }],
  [ScalarType.UINT64, { method: 'uint64', wireType: 0, zero: '0n' }],
  [ScalarType.INT64, { method: 'int64', wireType: 0, zero: '0n' }],
  [ScalarType.SINT64, { method: 'sint64', wireType: 0, zero: '0n' }],
  [ScalarType.FIXED64, { method: 'fixed64', wireType: 1, zero: '0n' }],
  [ScalarType.SFIXED64, { method: 'sfixed64', wireType: 1, zero: '0n' }],
]);

/** The scalar of a field, of a list's items or of a map's values; that of an enum is int32. */
export const scalarOf = (field) => SCALARS.get(field.scalar ?? ScalarType.INT32);
/** The tag of a field with a wire type. */
export const tagOf = (field, wireType) => ((field.number << 3) | wireType) >>> 0;
export const isImplicit = (field) => field.presence === FeatureSet_FieldPresence.IMPLICIT;
/** What kind of thing a field holds, or its items or values: message, enum or scalar. */
export const kindOf = (field) => field.listKind ?? field.mapKind ?? field.fieldKind;

/** What is represented in a way of its own; none of it is used here. */
const SPECIAL = /^google\.protobuf\.(Struct|Value|ListValue|Any|\w+Value)$/;

/** The messages of proto3 that hold nothing, at any depth, that the generator cannot do. */
export function findSupported(files) {
  const messages = files.filter((file) => file.proto.syntax === 'proto3').flatMap((file) => allOf(file.messages));
  const supported = new Set(messages.filter((message) => message.fields.every(isUsual)));
  for (let before = -1; before !== supported.size; ) {
    before = supported.size;
    for (const message of supported) {
      const holds = message.fields.flatMap((field) => (field.message === undefined ? [] : [field.message]));
      if (!holds.every((held) => supported.has(held))) supported.delete(message);
    }
  }
  return supported;
}

const allOf = (messages) =>
  messages.flatMap((message) => [
    ...(message.proto.options?.mapEntry ? [] : [message]),
    ...allOf(message.nestedMessages),
  ]);

function isUsual(field) {
  if (field.message !== undefined) return !field.delimitedEncoding && !SPECIAL.test(field.message.typeName);
  if (field.enum !== undefined) return field.enum.open && field.enum.values[0].number === 0;
  return field.longAsString !== true && (field.scalar !== ScalarType.STRING || field.utf8Validation);
}

/** What is printed with: the output, and names that are imported as they are used. */
export function printsOf(output, file, runtime) {
  if (file.proto.package === '') throw new Error(`${file.name}.proto has no package: names would clash`);
  const nameOf = (what, message) =>
    what + message.typeName.slice(message.file.proto.package.length + 1).replaceAll('.', '_');
  /** A function of a message, wherever that is. */
  const functionOf = (what, message) =>
    message.file === file
      ? nameOf(what, message)
      : output.import(nameOf(what, message), `./${message.file.name}_codec.ts`);
  return { output, runtime, nameOf, functionOf };
}
