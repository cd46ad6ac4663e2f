import {
  type Actor,
  acceptTools,
  evolvePins,
  type Fact,
  meetServer,
  type Pins,
  type RecordedFact,
  unmet,
} from '@stopgo/core';

/** A tool with a definition of its own. */
export const tool = (name: string, pin = `${name} 1`) => ({ name, pin });

/** The server of the stories. */
export const server = { identity: 'i', server: 's', transport: 'stdio', address: 'node' };

const bridge: Actor = { kind: 'system', id: 'bridge-1' };

/** Facts as they would stand in a server's stream. */
export function recorded(facts: readonly { readonly fact: Fact; readonly actor?: Actor }[]): RecordedFact[] {
  return facts.map(({ fact, actor = bridge }, index) => ({
    ...{ stream: 'pins-i', revision: index + 1, eventId: '', causationId: '', correlationId: '' },
    ...{ time: 1_768_471_800_000 + index, actor, fact },
  }));
}

/** What facts come to. */
export function foldOf(facts: readonly Fact[]): Pins {
  return recorded(facts.map((fact) => ({ fact }))).reduce<Pins>(evolvePins, unmet);
}

/** A server is met, and two people accept what it has become since. */
export function accepted(): RecordedFact[] {
  const met = meetServer(unmet, server, [tool('a'), tool('b')], false);
  const by = (id: string): Actor => ({ kind: 'approver', id, claimed: true, surface: 'rest', address: '127.0.0.1' });
  const one = acceptTools(foldOf(met), [tool('a', 'a 2'), tool('c')]);
  const two = acceptTools(foldOf([...met, ...one]), [tool('a', 'a 3')]);
  const of = (facts: readonly Fact[], actor?: Actor) => facts.map((fact) => ({ fact, ...(actor && { actor }) }));
  return recorded([...of(met), ...of(one, by('ann')), ...of(two, by('ben'))]);
}
