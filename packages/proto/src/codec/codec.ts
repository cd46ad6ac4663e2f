import type { Message } from '@bufbuild/protobuf';
import type { Reader } from './reader.ts';
import type { Writer } from './writer.ts';

/** What a message is to be created from: some of its members, in the forms that the library's `create` takes. */
// biome-ignore lint/suspicious/noExplicitAny: the generated code trusts its callers, whose types are exact, as the library does.
export type Given = Record<string, any>;

/**
 * What is generated for a message. `write` and `read` throw `LeftToLibrary`, or whatever, for what they do not understand; `create`
 * trusts its caller's types and converts as the library does.
 */
export type Codec = {
  /** A message without anything in it. */
  zero(): Message;
  write(writer: Writer, message: Message): void;
  /** Reads so many bytes into a message. */
  read(reader: Reader, length: number, message: Message): Message;
  create(given: Given): Message;
};
