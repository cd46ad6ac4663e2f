import { connect, type IncomingHttpHeaders } from 'node:http2';

/** One stream of a call over gRPC. */
export type GrpcStream = {
  /** Settles with the first message, or once it is over. */
  readonly begun: Promise<void>;
  /** Its status, a number as gRPC has them. */
  readonly ended: Promise<number>;
};

/** Calls a method whose request is one text in one field, on this machine. The bytes are written by hand: no client is needed. */
export function callGrpc(
  port: number,
  path: string,
  { field, text }: { readonly field: number; readonly text: string },
  headers: Readonly<Record<string, string>>,
): GrpcStream {
  const client = connect(`http://127.0.0.1:${port}`);
  const stream = client.request({
    ...{ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' },
    ...headers,
  });
  // A field of text: its number with wire type 2, its length, which is below 128, and its bytes.
  const message = Buffer.concat([Buffer.from([(field << 3) | 2, text.length]), Buffer.from(text)]);
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  stream.end(Buffer.concat([prefix, message]));
  let status = Number.NaN;
  const look = (said: IncomingHttpHeaders): void => {
    if (said['grpc-status'] !== undefined) status = Number(said['grpc-status']);
  };
  stream.on('response', look);
  stream.on('trailers', look);
  const ended = new Promise<number>((resolve, reject) => {
    stream.on('close', () => {
      client.close();
      resolve(status);
    });
    for (const one of [client, stream]) one.on('error', reject);
  });
  const begun = Promise.race([new Promise<void>((resolve) => stream.once('data', () => resolve())), ended]);
  return { begun: begun.then(() => undefined), ended };
}
