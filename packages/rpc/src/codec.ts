import { type DescMessage, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import { resourceExhausted } from '@stopgo/core';

/**
 * A message in its wire form.
 *
 * @throws DomainError `resource_exhausted` if it is larger than `bytesMax`.
 */
export function encode(schema: DescMessage, message: Message, path: string, bytesMax: number): Buffer {
  const bytes = toBinary(schema, message);
  if (bytes.byteLength > bytesMax) {
    throw resourceExhausted(
      `${path}: ${schema.name} takes ${bytes.byteLength} bytes, more than the ${bytesMax} allowed; send less at a time`,
      { bytes: String(bytes.byteLength), bytes_max: String(bytesMax) },
    );
  }
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A message from its wire form. Throws if the bytes are none. */
export const decode = (schema: DescMessage, bytes: Uint8Array): Message => fromBinary(schema, bytes);

/** For grpc-js, which is given encoded messages and gives them. */
export const asIs = (bytes: Buffer): Buffer => bytes;
