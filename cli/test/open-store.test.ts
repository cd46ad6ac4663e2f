import { DomainError } from '@stopgo/core';
import { expect, test } from 'vitest';
import { explainDirectoryError, explainStoreError } from '../src/inspect/open-store.ts';

test('a store of a release that cannot do what is asked is told as that, with what to do', () => {
  const error = new DomainError('unimplemented', 'the server does not implement the method VerifySearch');
  expect(explainStoreError(error, '127.0.0.1:7000')).toMatchObject({
    message:
      '--store 127.0.0.1:7000: it is of a release that cannot do this; update it, or use the stopgo of its release (the server does not implement the method VerifySearch)',
  });
});

test('a data directory without the log that is meant is told with what to do where services run as separate processes', () => {
  const elsewhere = 'the data directory ./data is in use by separate services, whose log is not in it';
  expect(explainDirectoryError(new DomainError('failed_precondition', elsewhere))).toMatchObject({
    message: `${elsewhere}; name a store of theirs with --store HOST:PORT`,
  });
  const empty = 'the data directory ./data holds no log; check the path';
  expect(explainDirectoryError(new DomainError('not_found', empty))).toMatchObject({
    message: `${empty}, or name the running store of separate services with --store HOST:PORT`,
  });
  const other = new DomainError('failed_precondition', 'it was written by a newer version');
  expect(explainDirectoryError(other)).toBe(other);
});
