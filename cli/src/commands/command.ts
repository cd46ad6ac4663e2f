import type { Flags, OptionName } from './options.ts';

/** What a command was given, and where it writes. */
export type Given = {
  readonly flags: Flags;
  /** As many as the command takes; those that may be left out may be missing. */
  readonly args: readonly string[];
  readonly host: NodeJS.Process;
  /** Writes a line to the standard output. */
  readonly print: (line: string) => void;
};

/** A command of `stopgo`, with all that its help says. */
export type Command = {
  /** One line, for the list of all commands. */
  readonly summary: string;
  /** Its arguments as the usage shows them; `[…]` for one that may be left out. None if absent. */
  readonly takes?: string;
  /** Least and most arguments. */
  readonly arguments: readonly [number, number];
  /** Each option that goes with it, and what it does. */
  readonly options: Readonly<Partial<Record<OptionName, string>>>;
  /** More about it, a line each. */
  readonly about?: readonly string[];
  /** Command lines to copy, and what each is for. */
  readonly examples: readonly (readonly [string, string])[];
  /** Rejects with one clear line if it cannot do what it was asked. */
  readonly run: (given: Given) => Promise<void>;
};

/** Some commands under a heading. */
export type CommandGroup = { readonly heading: string; readonly commands: Readonly<Record<string, Command>> };
