// Exchange messages as bytes. The types are generated; only what is sent is built here, as literals, which costs half of what
// `create` does.
import { exchange, fromBinary, toBinary } from '@stopgo/proto';

const { ExchangeRequestSchema, ExchangeResponseSchema } = exchange;

/** `/stopgo.rpc.v1.ExchangeService/Exchange`. */
export const exchangePath = `/${exchange.ExchangeService.typeName}/${exchange.ExchangeService.method.exchange.name}`;

export type ClientFrame = { readonly callId: number; readonly frame: exchange.ClientFrame['frame'] };
export type ServerFrame = { readonly callId: number; readonly frame: exchange.ServerFrame['frame'] };

export const encodeClientFrames = (frames: readonly ClientFrame[]): Buffer =>
  asBuffer(
    toBinary(ExchangeRequestSchema, {
      $typeName: 'stopgo.rpc.v1.ExchangeRequest',
      frames: frames.map((frame) => ({ $typeName: 'stopgo.rpc.v1.ClientFrame' as const, ...frame })),
    }),
  );

export const encodeServerFrames = (frames: readonly ServerFrame[]): Buffer =>
  asBuffer(
    toBinary(ExchangeResponseSchema, {
      $typeName: 'stopgo.rpc.v1.ExchangeResponse',
      frames: frames.map((frame) => ({ $typeName: 'stopgo.rpc.v1.ServerFrame' as const, ...frame })),
    }),
  );

/** The frames of a message, or nothing if it is none. */
export const decodeClientFrames = (bytes: Uint8Array): readonly ClientFrame[] | undefined =>
  framesOf(() => fromBinary(ExchangeRequestSchema, bytes).frames);

/** The frames of a message, or nothing if it is none. */
export const decodeServerFrames = (bytes: Uint8Array): readonly ServerFrame[] | undefined =>
  framesOf(() => fromBinary(ExchangeResponseSchema, bytes).frames);

function framesOf<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
