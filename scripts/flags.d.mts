import type { ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<O extends Options> = ReturnType<typeof parseArgs<{ options: O }>>['values'];

export function flagsOf<const O extends Options>(usage: string, options: O, args?: readonly string[]): Values<O>;
export function misused(usage: string, problem: unknown): never;
export function readFlags<T>(usage: string, read: () => T): T;
export function wholeNumber(name: string, given: string | undefined): number | undefined;
