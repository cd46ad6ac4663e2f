/** Where the echo over gRPC is called. */
export const echoPaths = { call: '/bench.Echo/Call', talk: '/bench.Echo/Talk' } as const;

/** Bytes are sent as they are. */
export const asIs = (bytes: Buffer): Buffer => bytes;
