import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CallPlace,
  isBelow,
  iterationOfStep,
  type Place,
  parsePlace,
  pathOfStep,
  printPlace,
} from '../../src/agent/step-id.ts';
import { play } from './runner.ts';
import { agents, tapes } from './trees.ts';

const count = (min: number) => fc.oneof(fc.integer({ min, max: min + 12 }), fc.integer({ min, max: 999_999_999 }));
const branches = fc.array(
  fc.tuple(count(0), fc.option(count(1), { nil: undefined })).map(([index, iteration]) => ({
    index,
    ...(iteration === undefined ? {} : { iteration }),
  })),
  { maxLength: 4 },
);

/** Steps, up to three agents deep, and their calls. */
const steps = (depth: number): fc.Arbitrary<Place> =>
  fc
    .tuple(branches, depth === 0 ? fc.constant(undefined) : fc.option(calls(depth - 1), { nil: undefined }))
    .map(([path, caller]) => ({ ...(caller === undefined ? {} : { caller }), path }));
const calls = (depth: number): fc.Arbitrary<CallPlace> =>
  fc.tuple(steps(depth), count(1), count(0)).map(([step, turn, call]) => ({ ...step, turn, call }));
const turns = fc.tuple(steps(3), count(1)).map(([step, turn]): Place => ({ ...step, turn }));
const places = fc.oneof(steps(3), turns, calls(3));

describe('the id of a place', () => {
  test('is read as what it was printed from', () => {
    fc.assert(
      fc.property(places, (place) => {
        expect(parsePlace(printPlace(place))).toEqual(place);
      }),
    );
  });

  test('is the only text that is read so: any other is refused', () => {
    const text = fc.string({
      unit: fc.constantFrom('root', '/', '#', '.', '[', ']', '0', '1', '23', ' '),
      maxLength: 9,
    });
    // Ids, with something inserted somewhere or left out.
    const spoilt = fc.tuple(places, fc.nat(), fc.nat({ max: 2 }), text).map(([place, at, left, insert]) => {
      const id = printPlace(place);
      const from = at % (id.length + 1);
      return id.slice(0, from) + insert + id.slice(from + left);
    });
    let refused = 0;
    fc.assert(
      fc.property(fc.oneof(text, spoilt), (id) => {
        const place = parsePlace(id);
        if (place === undefined) refused += 1;
        else expect(printPlace(place)).toBe(id);
      }),
      { numRuns: 2_000 },
    );
    expect(refused).toBeGreaterThan(500);
  });

  test.each([
    ...['', 'Root', 'root ', ' root', 'root/', 'root//0', 'root/00', 'root/01', 'root/-1', 'root/1e3', 'root/x'],
    ...['root[1]', 'root[0]/0', 'root[01]/0', 'root[]/0', 'root[1]0', 'root/1234567890', 'roots/0', 'root/0/root'],
    ...['root#0', 'root#1.', 'root#.0', 'root#1.0.0', 'root#1/root', 'root#1.0/0', 'root#1.0/root/', 'root#1.0#1'],
  ])('is none: %j', (id) => {
    expect(parsePlace(id)).toBeUndefined();
    expect([pathOfStep(id), iterationOfStep(id)]).toEqual([[], undefined]);
  });

  test('says what is below a step: nothing that is beside it, whatever its name begins with', () => {
    const chain = ({ caller, path, turn, call }: Place): string[] => [
      ...(caller === undefined ? [] : chain(caller)),
      ...path.map((one) => JSON.stringify(one)),
      ...(turn === undefined ? [] : [`${turn}.${call}`]),
    ];
    const related = fc.tuple(steps(2), steps(2), branches).map(([one, other, path]) => {
      const deeper = { ...one, path: [...one.path, ...path] };
      return [one, other, deeper] as const;
    });
    fc.assert(
      fc.property(related, ([one, other, deeper]) => {
        for (const [below, above] of [
          [one, other],
          [deeper, one],
          [one, deeper],
        ] as const) {
          const [inner, outer] = [chain(below), chain(above)];
          const isInside = inner.length > outer.length && outer.every((link, index) => link === inner[index]);
          expect(isBelow(printPlace(below), printPlace(above))).toBe(isInside);
        }
      }),
    );
    expect(isBelow('root/10', 'root/1')).toBe(false);
    expect(isBelow('root/1', 'root/1')).toBe(false);
    expect(isBelow('root/1#2.0/root', 'root/1')).toBe(true);
    // The step of an agent's root is itself what its call is about.
    expect(isBelow('root/1#2.0/root', 'root/1#2.0')).toBe(true);
  });
});

test('every id that a run records is one', () => {
  fc.assert(
    fc.property(agents, tapes, (agent, tape) => {
      for (const { fact } of play(agent, tape).log) {
        const { stepId, callId } = { stepId: undefined, callId: undefined, ...fact.value } as Record<string, unknown>;
        for (const id of [stepId, callId]) if (typeof id === 'string') expect(parsePlace(id), id).toBeDefined();
      }
    }),
    { numRuns: 15 },
  );
});
