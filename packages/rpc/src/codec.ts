import type { DescMessage, Message } from '@bufbuild/protobuf';
import { type DomainError, resourceExhausted } from '@stopgo/core';
import { fromBinary, toBinary } from '@stopgo/proto';

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

/** The error for a message that arrived and is larger than the receiver takes. */
export const tooLarge = (path: string, bytes: number, bytesMax: number): DomainError =>
  resourceExhausted(`${path}: Received message larger than max (${bytes} vs ${bytesMax})`, {
    bytes: String(bytes),
    bytes_max: String(bytesMax),
  });

/** For grpc-js, which is given encoded messages and gives them. */
export const asIs = (bytes: Buffer): Buffer => bytes;
