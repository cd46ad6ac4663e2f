// What the library does by looking at descriptors each time, done by generated code: the same bytes, the same messages.
// Whatever that code does not understand it leaves to the library by throwing, so that rare input costs a little more and
// errors are the library's own.
import type {
  BinaryReadOptions,
  BinaryWriteOptions,
  DescMessage,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import * as library from '@bufbuild/protobuf';
import { codecs } from '../gen/codecs.ts';
import { decode, encode } from './coder.ts';

/** The bytes of a message: as the library's `toBinary`, and faster. */
export function toBinary<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
  options?: Partial<BinaryWriteOptions>,
): Uint8Array<ArrayBuffer> {
  const codec = codecs.get(schema);
  if (codec !== undefined && options === undefined) {
    try {
      return encode(codec, message);
    } catch {
      // The library converts it, or says what is wrong with it.
    }
  }
  return library.toBinary(schema, message, options);
}

/** The message of some bytes: as the library's `fromBinary`, and faster. Its fields of bytes are views of what is given. */
export function fromBinary<Desc extends DescMessage>(
  schema: Desc,
  bytes: Uint8Array,
  options?: Partial<BinaryReadOptions>,
): MessageShape<Desc> {
  const codec = codecs.get(schema);
  if (codec !== undefined && options === undefined && bytes instanceof Uint8Array) {
    try {
      return decode(codec, bytes) as MessageShape<Desc>;
    } catch {
      // The library reads it in spite of what is unusual in it, or says what is wrong.
    }
  }
  return library.fromBinary(schema, bytes, options);
}

/** A message of some of its members: as the library's `create`, and faster. */
export function create<Desc extends DescMessage>(schema: Desc, init?: MessageInitShape<Desc>): MessageShape<Desc> {
  const codec = codecs.get(schema);
  if (codec === undefined || library.isMessage(init, schema)) return library.create(schema, init);
  return (init === undefined ? codec.zero() : codec.create(init)) as MessageShape<Desc>;
}
