import { isAscii } from 'node:buffer';
import { LeftToLibrary } from './writer.ts';

/** As deep as the library follows messages in messages. */
const depthMax = 100;
/** Up to here a loop over the bytes is faster than a call into the runtime. */
const loopedBytes = 48;
/** Up to here the decoder is faster than to look for ASCII first. */
const decodedBytes = 1_024;
/** Refuses what is no UTF-8, and swallows a byte order mark, as the library does. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

type UnknownField = { no: number; wireType: number; data: Uint8Array };

/**
 * Reads protobuf's wire format. It understands whatever is usual; for the rest it throws: that is for the library, also to
 * say what is wrong with it.
 */
export class Reader {
  /** Where it stands. */
  pos = 0;
  readonly #bytes: Uint8Array;
  readonly #length: number;
  #view: DataView | undefined;
  #buffer: Buffer | undefined;
  #depth = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#length = bytes.length;
  }

  /** Goes into a message that takes `length` bytes from here. Gives its end. */
  enter(length: number): number {
    this.#depth += 1;
    const end = this.pos + length;
    if (this.#depth > depthMax || end > this.#length) throw new LeftToLibrary();
    return end;
  }

  /** Leaves a message. */
  leave(): void {
    this.#depth -= 1;
  }

  /** The end of something with its length before it that is no message: a packed list, an entry of a map. */
  end(): number {
    const end = this.uint32() + this.pos;
    if (end > this.#length) throw new LeftToLibrary();
    return end;
  }

  tag(): number {
    const begin = this.pos;
    const tag = this.uint32();
    const taken = this.pos - begin;
    // What does not fit in 32 bits is no tag.
    if (tag < 8 || taken > 5 || (taken === 5 && (this.#bytes[this.pos - 1] as number) > 0x0f))
      throw new LeftToLibrary();
    return tag;
  }

  uint32(): number {
    const first = this.#bytes[this.pos];
    if (first !== undefined && first < 0x80) {
      this.pos += 1;
      return first;
    }
    return this.#longUint32();
  }

  #longUint32(): number {
    let result = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#byte();
      result |= (byte & 0x7f) << shift;
      if (byte < 0x80) return result;
    }
    let byte = this.#byte();
    result |= (byte & 0x0f) << 28;
    for (let read = 5; byte > 0x7f; read += 1) {
      if (read === 10) throw new LeftToLibrary();
      byte = this.#byte();
    }
    return result >>> 0;
  }

  #byte(): number {
    const byte = this.#bytes[this.pos];
    if (byte === undefined) throw new LeftToLibrary();
    this.pos += 1;
    return byte;
  }

  int32(): number {
    return this.uint32() | 0;
  }

  sint32(): number {
    const value = this.uint32();
    return (value >>> 1) ^ -(value & 1);
  }

  uint64(): bigint {
    const first = this.#bytes[this.pos];
    if (first !== undefined && first < 0x80) {
      this.pos += 1;
      return BigInt(first);
    }
    return this.#longUint64();
  }

  #longUint64(): bigint {
    let low = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#byte();
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt(low);
    }
    let byte = this.#byte();
    low |= (byte & 0x0f) << 28;
    let high = (byte & 0x70) >> 4;
    for (let shift = 3; byte > 0x7f; shift += 7) {
      if (shift > 31) throw new LeftToLibrary();
      byte = this.#byte();
      high |= (byte & 0x7f) << shift;
    }
    if (high === 0) return BigInt(low >>> 0);
    return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
  }

  int64(): bigint {
    return BigInt.asIntN(64, this.uint64());
  }

  sint64(): bigint {
    const value = this.uint64();
    return (value >> 1n) ^ -(value & 1n);
  }

  bool(): boolean {
    const first = this.#bytes[this.pos];
    if (first !== undefined && first < 0x80) {
      this.pos += 1;
      return first !== 0;
    }
    return this.#longUint64() !== 0n;
  }

  fixed32(): number {
    return this.#fixed().getUint32(this.#past(4), true);
  }

  sfixed32(): number {
    return this.#fixed().getInt32(this.#past(4), true);
  }

  fixed64(): bigint {
    return this.#fixed().getBigUint64(this.#past(8), true);
  }

  sfixed64(): bigint {
    return this.#fixed().getBigInt64(this.#past(8), true);
  }

  float(): number {
    return this.#fixed().getFloat32(this.#past(4), true);
  }

  double(): number {
    return this.#fixed().getFloat64(this.#past(8), true);
  }

  #fixed(): DataView {
    const { buffer, byteOffset, byteLength } = this.#bytes;
    this.#view ??= new DataView(buffer, byteOffset, byteLength);
    return this.#view;
  }

  /** Goes past some bytes that must be there. Gives where they begin. */
  #past(bytes: number): number {
    const begin = this.pos;
    if (bytes > this.#length - begin) throw new LeftToLibrary();
    this.pos = begin + bytes;
    return begin;
  }

  /** A view of what is read, as the library gives it: whoever wants to keep it alone copies it. */
  bytes(): Uint8Array<ArrayBuffer> {
    const begin = this.#past(this.uint32());
    return this.#bytes.subarray(begin, this.pos) as Uint8Array<ArrayBuffer>;
  }

  string(): string {
    const length = this.uint32();
    if (length === 0) return '';
    const begin = this.#past(length);
    if (!this.#isAscii(begin, length)) return utf8.decode(this.#bytes.subarray(begin, this.pos));
    this.#buffer ??= bufferOf(this.#bytes);
    return this.#buffer.toString('latin1', begin, this.pos);
  }

  /** Whether a text is worth a look for being ASCII, and is. */
  #isAscii(begin: number, length: number): boolean {
    const bytes = this.#bytes;
    if (length > decodedBytes) return isAscii(bytes.subarray(begin, begin + length));
    if (length > loopedBytes) return false;
    for (let index = begin; index < begin + length; index += 1) {
      if ((bytes[index] as number) > 0x7f) return false;
    }
    return true;
  }

  /** Goes past a field that nobody knows, and keeps it. */
  unknown(tag: number, fields: UnknownField[] = []): UnknownField[] {
    const begin = this.pos;
    const wireType = tag & 7;
    if (wireType === 0) while (this.#byte() > 0x7f);
    else if (wireType === 1) this.#past(8);
    else if (wireType === 2) this.#past(this.uint32());
    else if (wireType === 5) this.#past(4);
    else throw new LeftToLibrary();
    fields.push({ no: tag >>> 3, wireType, data: this.#bytes.subarray(begin, this.pos) });
    return fields;
  }
}

const bufferOf = (bytes: Uint8Array): Buffer =>
  bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
