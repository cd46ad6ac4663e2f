import type { Message } from '@bufbuild/protobuf';
import type { Codec } from './codec.ts';
import { Reader } from './reader.ts';
import { Writer } from './writer.ts';

/** Kept from message to message; absent while it is in use, and if it was when somebody threw. */
let idle: Writer | undefined;

/** The bytes of a message. Throws for what is to be left to the library. */
export function encode(codec: Codec, message: Message): Uint8Array<ArrayBuffer> {
  const writer = idle ?? new Writer();
  idle = undefined;
  writer.begin();
  codec.write(writer, message);
  const bytes = writer.finish();
  idle = writer;
  return bytes;
}

/** The message of some bytes. Throws for what is to be left to the library. */
export const decode = (codec: Codec, bytes: Uint8Array): Message =>
  codec.read(new Reader(bytes), bytes.length, codec.zero());
