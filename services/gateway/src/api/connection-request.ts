import { z } from 'zod';
import { text } from './request.ts';

const textBytesMax = 8_192;

/** Body that begins to connect an account. */
export const beginConnection = z.strictObject({
  redirect_uri: text(textBytesMax).describe(
    'Where the browser is led back to: a page of this platform, or an http address of the machine that the user sits at. Left out: a page of the gateway',
  ),
});

/** Body that finishes it: what the browser was led back with. */
export const finishConnection = z.strictObject({
  state: text(textBytesMax).describe('As it came back'),
  code: text(textBytesMax).describe('As it came back'),
  iss: text(textBytesMax).describe('As it came back, if it did'),
  error: text(textBytesMax).describe('As it came back in place of a code'),
});
