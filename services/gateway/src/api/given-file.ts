import { blobBytesMax } from '@stopgo/core';
import { z } from 'zod';
import { malformedText, text } from './request.ts';

const nameBytesMax = 1_024;
const mediaTypeBytesMax = 256;
/** Characters of base64 that the largest file has. */
const base64Max = 4 * Math.ceil(blobBytesMax / 3);

const noBytes = 'file.base64 must hold the bytes in base64';
const noBase64 = 'file.base64 is no base64: letters, digits, + and /, padded with =';

/** Its length is looked at before anything is decoded: that takes as much memory again. */
const bytes = z
  .string({ error: noBytes })
  .min(1, { error: noBytes })
  .max(base64Max, { error: `file: it is too large; at most ${blobBytesMax} bytes are taken` })
  .transform((base64, context) => {
    const decoded = Buffer.from(base64, 'base64');
    // The decoder leaves out what it does not know: a file with a hole in it would be taken.
    if (decoded.toString('base64') === base64) return decoded;
    context.issues.push({ code: 'custom', message: noBase64, input: base64 });
    return z.NEVER;
  });

/** A file that a person gives. */
export const givenFile = z.strictObject(
  { name: text(nameBytesMax), media_type: text(mediaTypeBytesMax), base64: bytes },
  { error: malformedText('"file" must be an object') },
);
