import { count } from '../ui/text.tsx';
import { serverWords } from './server-words.ts';
import type { Alarms, Health, HeldTools, ToolServers, Waits } from './types.ts';

/** One thing at a glance. */
export type Tile = { readonly name: string; readonly words: string; readonly tone: 'good' | 'wait' | 'bad' };

/** The platform at a glance: only of what it has said. */
export function tilesOf(known: {
  readonly health: Health | undefined;
  readonly alarms: Alarms | undefined;
  readonly servers: ToolServers | undefined;
  readonly waits: Waits | undefined;
  readonly held: HeldTools | undefined;
}): readonly Tile[] {
  const { health, alarms, servers, waits, held } = known;
  return [
    ...(health === undefined ? [] : [recordTile(health)]),
    ...(alarms === undefined ? [] : [alarmTile(alarms), processTile(alarms)]),
    ...(servers === undefined ? [] : [serverTile(servers)]),
    ...(held === undefined || held.tools.length === 0 ? [] : [heldTile(held)]),
    ...(waits === undefined || waits.waits.length === 0 ? [] : [waitTile(waits)]),
  ];
}

const recordTile = ({ status }: Health): Tile =>
  status === 'ok'
    ? { name: 'The record', words: 'No trouble known', tone: 'good' }
    : { name: 'The record', words: 'Nothing can be recorded', tone: 'bad' };

function alarmTile({ alarms }: Alarms): Tile {
  const errors = alarms.filter(({ level }) => level === 'error').length;
  const words = alarms.length === 0 ? 'None' : `${alarms.length} to look at`;
  return { name: 'Alarms', words, tone: errors > 0 ? 'bad' : alarms.length > 0 ? 'wait' : 'good' };
}

function processTile({ processes }: Alarms): Tile {
  const answering = processes.filter(({ answers }) => answers).length;
  const words =
    answering < processes.length
      ? `${answering} of ${processes.length} answer`
      : processes.length === 1
        ? 'Answers'
        : `All ${processes.length} answer`;
  return {
    name: processes.length === 1 ? 'The platform' : 'Services',
    words,
    tone: answering < processes.length ? 'bad' : 'good',
  };
}

function serverTile({ servers, bridges }: ToolServers): Tile {
  const tones = servers.map((one) => serverWords(one).tone);
  const ready = tones.filter((tone) => tone === 'good').length;
  const isSilent = bridges.some(({ answers }) => !answers);
  const words =
    servers.length === 0
      ? 'None'
      : ready === servers.length
        ? servers.length === 1
          ? 'Ready'
          : `All ${servers.length} ready`
        : `${ready} of ${servers.length} ready`;
  const tone = isSilent || tones.includes('bad') ? 'bad' : tones.includes('wait') ? 'wait' : 'good';
  return { name: 'Tool servers', words, tone };
}

const heldTile = ({ tools }: HeldTools): Tile => ({
  name: 'Tools',
  words: `${tools.length} to be accepted`,
  tone: 'wait',
});

const waitTile = ({ waits }: Waits): Tile => ({
  name: 'Runs',
  words: `Wait for ${count(waits.length, 'thing')}`,
  tone: 'wait',
});
