import { DomainError } from '@stopgo/core';
import { expect, test } from 'vitest';
import { explainStoreError } from '../src/inspect/open-store.ts';

test('a store of a release that cannot do what is asked is told as that, with what to do', () => {
  const error = new DomainError('unimplemented', 'the server does not implement the method VerifySearch');
  expect(explainStoreError(error, '127.0.0.1:7000')).toMatchObject({
    message:
      '--store 127.0.0.1:7000: it is of a release that cannot do this; update it, or use the stopgo of its release (the server does not implement the method VerifySearch)',
  });
});
