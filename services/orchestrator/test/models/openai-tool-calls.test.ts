import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addFragment, inOrder, type JoinedCall } from '../../src/models/openai-tool-calls.ts';

type Whole = { id: string; name: string; arguments: string };

const calls = fc.array(
  fc.record({
    id: fc.string({ minLength: 1, maxLength: 9 }),
    name: fc.string({ minLength: 1, maxLength: 9 }),
    arguments: fc.string({ unit: 'binary', maxLength: 40 }),
  }),
  { maxLength: 5 },
);

type Write = (call: Whole, index: number, pieces: string[]) => object[];

const numbered: Write = (call, index, pieces) => [
  { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } },
  ...pieces.map((piece) => ({ index, function: { arguments: piece } })),
];

/** How one provider or another writes the fragments of a call, of which `pieces` are the arguments. */
const WRITERS: Readonly<Record<string, Write>> = {
  'numbered, with id and name at the beginning': numbered,
  'with everything repeated': (call, index, pieces) =>
    ['', ...pieces].map((piece) => ({ index, id: call.id, function: { name: call.name, arguments: piece } })),
  'with the id after the name': (call, index, pieces) => [
    { index, id: '', function: { name: call.name } },
    { index, id: call.id, function: { name: null, arguments: null } },
    ...pieces.map((piece) => ({ index, id: null, function: { arguments: piece } })),
  ],
  'all numbered 0': (call, _, pieces) => [
    { index: 0, id: call.id, function: { name: call.name, arguments: '' } },
    ...pieces.map((piece) => ({ index: 0, function: { arguments: piece } })),
  ],
  'without numbers': (call, _, pieces) => [
    { id: call.id, function: { name: call.name, arguments: '' } },
    ...pieces.map((piece) => ({ function: { arguments: piece } })),
  ],
  'without numbers and ids': (call, _, pieces) => [
    { function: { name: call.name, arguments: '' } },
    ...pieces.map((piece) => ({ function: { arguments: piece } })),
  ],
};

function join(fragments: readonly unknown[]): Whole[] {
  const joined: JoinedCall[] = [];
  for (const fragment of fragments) addFragment(joined, fragment);
  return inOrder(joined).map(({ id, name, argumentsText }) => ({ id, name, arguments: argumentsText }));
}

/** The text cut at these places, which are parts of its length. */
function cutAt(text: string, places: readonly number[]): string[] {
  const at = [0, ...places.map((place) => Math.floor(place * text.length)), text.length].sort((a, b) => a - b);
  return at.slice(1).map((to, index) => text.slice(at[index], to));
}

const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 });

test.each(Object.entries(WRITERS))('calls come out whole wherever they were cut: %s', (writer, write) => {
  fc.assert(
    fc.property(calls, fc.array(places, { minLength: 5, maxLength: 5 }), (whole, cuts) => {
      // Where nothing else tells two calls apart, their ids must.
      const distinct = whole.filter(({ id }, index) => whole.findIndex((other) => other.id === id) === index);
      const fragments = distinct.flatMap((call, index) => write(call, index, cutAt(call.arguments, cuts[index] ?? [])));
      const expected = writer.endsWith('and ids') ? distinct.map((call) => ({ ...call, id: '' })) : distinct;
      expect(join(fragments)).toEqual(expected);
    }),
  );
});

test('numbered calls may come interleaved and begin in any order', () => {
  fc.assert(
    fc.property(
      calls,
      fc.array(places, { minLength: 5, maxLength: 5 }),
      fc.infiniteStream(fc.nat()),
      (whole, cuts, turns) => {
        const queues = whole.map((call, index) => numbered(call, index, cutAt(call.arguments, cuts[index] ?? [])));
        const fragments: object[] = [];
        for (let left = queues; left.length > 0; left = left.filter((queue) => queue.length > 0))
          fragments.push(...(left[(turns.next().value ?? 0) % left.length]?.splice(0, 1) ?? []));
        expect(join(fragments)).toEqual(whole);
      },
    ),
  );
});

test('arguments given as an object become text, what is no fragment is passed over, and the rest of a call is kept', () => {
  const joined: JoinedCall[] = [];
  const extra = { extra_content: { google: { thought_signature: 's' } } };
  const fragments = [
    null,
    'x',
    { index: 0, id: 'a', function: { name: 'n', arguments: { b: 1 } } },
    { index: 0, ...extra },
  ];
  for (const fragment of fragments) addFragment(joined, fragment);
  expect(joined).toEqual([{ index: 0, id: 'a', name: 'n', argumentsText: '{"b":1}', parsed: { b: 1 }, extra }]);
});
