import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { FactName } from '@stopgo/core';
import { facts } from '@stopgo/proto';

/** Fields of a payload, each of which is a kind of fact. */
const nameOf: ReadonlyMap<number, FactName> = new Map(
  facts.PayloadSchema.fields.map(({ number, localName }) => [number, localName as FactName]),
);

/** The kinds of fact in a payload: one, unless it was made to mislead. Empty where it is no payload, which others find out. */
export function namesIn(payload: Uint8Array): readonly FactName[] {
  const names: FactName[] = [];
  try {
    const reader = new BinaryReader(payload);
    while (reader.pos < reader.len) {
      const [field, wireType] = reader.tag();
      reader.skip(wireType, field);
      const name = nameOf.get(field);
      if (name !== undefined) names.push(name);
    }
  } catch {
    // It cannot be decoded either.
  }
  return names;
}
