import { DomainError } from '@stopgo/core';
import { vi } from 'vitest';
import type { Client, OnInternalError, ServiceImpl } from '../src/index.ts';
import type { EchoService } from './gen/stopgo/testing/v1/echo_pb.ts';

export type EchoImpl = ServiceImpl<typeof EchoService>;
export type EchoClient = Client<typeof EchoService>;
/** A client, and how to end what is behind it. */
export type Opened = { readonly client: EchoClient; close(): Promise<void> };

/** A transport under test: makes clients of implementations, and sees what goes to the hook for internal errors. */
export type Transport = {
  /** A client of an implementation where only what the test is about is spelled out. */
  connect(parts: Partial<EchoImpl>): Promise<EchoClient>;
  readonly onInternalError: ReturnType<typeof vi.fn<OnInternalError>>;
};

/** An implementation where only what a test is about is spelled out. */
export const echoImpl = (parts: Partial<EchoImpl>): EchoImpl => ({
  echo: async (request) => ({ text: request.text }),
  async *count({ upto }) {
    for (let value = 0; value < upto; value++) yield { value };
  },
  ...parts,
});

/** The DomainError that `work` fails with. */
export async function failure(work: Promise<unknown>): Promise<DomainError> {
  const error = await work.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof DomainError)) throw error;
  return error;
}

export async function readAll<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of stream) all.push(item);
  return all;
}

/** Resolves when the signal aborts, with its reason. */
export const aborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    signal.addEventListener('abort', () => resolve(signal.reason), { once: true });
  });
/** Waits until `check` passes; its failure is the test's if it never does. */
export const waitFor = (check: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 10_000, interval: 2 });
