/** Thrown for what the generated code leaves to the library: it is slower, and the one that says what is wrong. */
export class LeftToLibrary extends Error {
  override readonly name = 'LeftToLibrary';
}

const bytesAtFirst = 8_192;
/** A buffer that has grown larger is not kept: one large message should not hold memory for ever. */
const bytesKept = 262_144;
/** Up to here a loop over the characters is faster than a call into the runtime. */
const loopedCharacters = 40;
/** From here on a string is measured before it is written, as three bytes for each character would be a lot. */
const measuredCharacters = 1_024;
const twoTo32 = 0x1_0000_0000;
const floatMax = 3.4028234663852886e38;
const int64Min = -0x8000_0000_0000_0000n;
const int64Max = 0x7fff_ffff_ffff_ffffn;
const uint64Max = 0xffff_ffff_ffff_ffffn;

type UnknownField = { readonly no: number; readonly wireType: number; readonly data: Uint8Array };

/**
 * Writes protobuf's wire format to one growing buffer. A nested message is written in place; the room for its length is
 * one byte, and what is written is moved when that is not enough.
 *
 * Its methods take what the types say. Whatever else comes, the library would convert or refuse: they throw.
 */
export class Writer {
  #bytes = new Uint8Array(bytesAtFirst);
  #buffer = Buffer.from(this.#bytes.buffer);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;

  /** Begins anew, whatever became of the last message. */
  begin(): void {
    this.#at = 0;
  }

  /** What has been written since `begin`, in memory of its own. */
  finish(): Uint8Array<ArrayBuffer> {
    const written = this.#bytes.slice(0, this.#at);
    if (this.#bytes.length > bytesKept) this.#use(new Uint8Array(bytesAtFirst));
    return written;
  }

  /** Begins something that its length goes before. Gives what `join` is to be given. */
  fork(tag: number): number {
    this.#room(6);
    this.#tag(tag);
    this.#at += 1;
    return this.#at;
  }

  /** Ends what `fork` began. */
  join(begin: number): void {
    const length = this.#at - begin;
    if (length > 0x7f) {
      const more = varintSize(length) - 1;
      this.#room(more);
      this.#bytes.copyWithin(begin + more, begin, this.#at);
      this.#at = begin - 1;
      this.#varint(length);
      this.#at += length;
    } else {
      this.#bytes[begin - 1] = length;
    }
  }

  string(tag: number, value: string): void {
    if (typeof value !== 'string') throw new LeftToLibrary();
    const { length } = value;
    if (length > loopedCharacters) {
      this.#longString(tag, value);
      return;
    }
    this.#room(6 + length * 3);
    this.#tag(tag);
    const begin = this.#at + 1;
    const bytes = this.#bytes;
    for (let index = 0; index < length; index += 1) {
      const code = value.charCodeAt(index);
      if (code > 0x7f) {
        this.#at = begin + this.#buffer.write(value, begin, 'utf8');
        this.join(begin);
        return;
      }
      bytes[begin + index] = code;
    }
    bytes[begin - 1] = length;
    this.#at = begin + length;
  }

  #longString(tag: number, value: string): void {
    const most = value.length > measuredCharacters ? Buffer.byteLength(value) : value.length * 3;
    this.#room(10 + most);
    this.#tag(tag);
    const begin = this.#at + varintSize(value.length > measuredCharacters ? most : value.length);
    const length = this.#buffer.write(value, begin, 'utf8');
    const begun = this.#at + varintSize(length);
    if (begun !== begin) this.#bytes.copyWithin(begun, begin, begin + length);
    this.#varint(length);
    this.#at += length;
  }

  bytes(tag: number, value: Uint8Array): void {
    if (!(value instanceof Uint8Array)) throw new LeftToLibrary();
    const { length } = value;
    this.#room(10 + length);
    this.#tag(tag);
    this.#varint(length);
    this.#bytes.set(value, this.#at);
    this.#at += length;
  }

  /** Bytes that are left out if there are none. */
  someBytes(tag: number, value: Uint8Array): void {
    if (!(value instanceof Uint8Array)) throw new LeftToLibrary();
    if (value.length > 0) this.bytes(tag, value);
  }

  bool(tag: number, value: boolean): void {
    this.#room(6);
    this.#tag(tag);
    this.#bytes[this.#at++] = value ? 1 : 0;
  }

  uint32(tag: number, value: number): void {
    if (value >>> 0 !== value) throw new LeftToLibrary();
    this.#room(10);
    this.#tag(tag);
    this.#varint(value);
  }

  int32(tag: number, value: number): void {
    if ((value | 0) !== value) throw new LeftToLibrary();
    this.#room(15);
    this.#tag(tag);
    if (value < 0) this.#varint64(value, -1);
    else this.#varint(value);
  }

  sint32(tag: number, value: number): void {
    if ((value | 0) !== value) throw new LeftToLibrary();
    this.uint32(tag, ((value << 1) ^ (value >> 31)) >>> 0);
  }

  uint64(tag: number, value: bigint): void {
    const small = smallNumber(value);
    this.#room(15);
    this.#tag(tag);
    if (small < 0) {
      if (value < 0n || value > uint64Max) throw new LeftToLibrary();
      this.#bigVarint(value);
    } else this.#smallVarint(small);
  }

  int64(tag: number, value: bigint): void {
    const small = smallNumber(value);
    this.#room(15);
    this.#tag(tag);
    if (small < 0) {
      if (value < int64Min || value > int64Max) throw new LeftToLibrary();
      this.#bigVarint(value);
    } else this.#smallVarint(small);
  }

  sint64(tag: number, value: bigint): void {
    if (typeof value !== 'bigint' || value < int64Min || value > int64Max) throw new LeftToLibrary();
    this.uint64(tag, BigInt.asUintN(64, (value << 1n) ^ (value >> 63n)));
  }

  fixed32(tag: number, value: number): void {
    if (value >>> 0 !== value) throw new LeftToLibrary();
    this.#room(9);
    this.#tag(tag);
    this.#view.setUint32(this.#at, value, true);
    this.#at += 4;
  }

  sfixed32(tag: number, value: number): void {
    if ((value | 0) !== value) throw new LeftToLibrary();
    this.fixed32(tag, value >>> 0);
  }

  fixed64(tag: number, value: bigint): void {
    if (typeof value !== 'bigint' || value < 0n || value > uint64Max) throw new LeftToLibrary();
    this.#room(13);
    this.#tag(tag);
    this.#view.setBigUint64(this.#at, value, true);
    this.#at += 8;
  }

  sfixed64(tag: number, value: bigint): void {
    if (typeof value !== 'bigint' || value < int64Min || value > int64Max) throw new LeftToLibrary();
    this.fixed64(tag, BigInt.asUintN(64, value));
  }

  float(tag: number, value: number): void {
    if (typeof value !== 'number' || (Number.isFinite(value) && Math.abs(value) > floatMax)) throw new LeftToLibrary();
    this.#room(9);
    this.#tag(tag);
    this.#view.setFloat32(this.#at, value, true);
    this.#at += 4;
  }

  double(tag: number, value: number): void {
    if (typeof value !== 'number') throw new LeftToLibrary();
    this.#room(13);
    this.#tag(tag);
    this.#view.setFloat64(this.#at, value, true);
    this.#at += 8;
  }

  /** Fields that nobody knew when they were read. */
  unknown(fields: readonly UnknownField[]): void {
    for (const { no, wireType, data } of fields) {
      if (!(data instanceof Uint8Array)) throw new LeftToLibrary();
      this.#room(5 + data.length);
      this.#varint(((no << 3) | wireType) >>> 0);
      this.#bytes.set(data, this.#at);
      this.#at += data.length;
    }
  }

  /** In a packed list the items have no tags: theirs is 0. */
  #tag(tag: number): void {
    if (tag < 0x80) {
      if (tag > 0) this.#bytes[this.#at++] = tag;
    } else this.#varint(tag);
  }

  #varint(value: number): void {
    const bytes = this.#bytes;
    let rest = value;
    while (rest > 0x7f) {
      bytes[this.#at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    bytes[this.#at++] = rest;
  }

  #smallVarint(value: number): void {
    if (value < twoTo32) this.#varint(value);
    else this.#varint64(value | 0, Math.floor(value / twoTo32));
  }

  /** The scratch place is where the varint will be: there is room. */
  #bigVarint(value: bigint): void {
    this.#view.setBigInt64(this.#at, BigInt.asIntN(64, value), true);
    this.#varint64(this.#view.getInt32(this.#at, true), this.#view.getInt32(this.#at + 4, true));
  }

  #varint64(low: number, high: number): void {
    const bytes = this.#bytes;
    let lower = low >>> 0;
    let upper = high >>> 0;
    while (upper > 0 || lower > 0x7f) {
      bytes[this.#at++] = (lower & 0x7f) | 0x80;
      lower = ((lower >>> 7) | (upper << 25)) >>> 0;
      upper >>>= 7;
    }
    bytes[this.#at++] = lower;
  }

  #room(bytes: number): void {
    if (this.#at + bytes > this.#bytes.length) this.#grow(this.#at + bytes);
  }

  #grow(needed: number): void {
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#at));
    this.#use(grown);
  }

  #use(bytes: Uint8Array<ArrayBuffer>): void {
    this.#bytes = bytes;
    this.#buffer = Buffer.from(bytes.buffer);
    this.#view = new DataView(bytes.buffer);
  }
}

/** As a number from 0 on, if it is one that a double holds exactly; else -1. */
function smallNumber(value: bigint): number {
  if (typeof value !== 'bigint') throw new LeftToLibrary();
  const number = Number(value);
  return number >= 0 && number <= Number.MAX_SAFE_INTEGER ? number : -1;
}

function varintSize(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x20_0000) return 3;
  return value < 0x1000_0000 ? 4 : 5;
}
