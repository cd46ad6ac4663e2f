import { canceled, dataLoss } from '@stopgo/core';

type Piece = Uint8Array | undefined;

/**
 * The pieces of a blob one after the other, counted: whoever has read to the end has `size` bytes. Throws `data_loss` if there are fewer
 * or more, `canceled` when the signal aborts.
 */
export async function* wholeBlob(
  digest: string,
  size: number,
  pieceAt: (index: number) => Piece | Promise<Piece>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  let read = 0;
  for (let index = 0; read < size; index++) {
    if (signal.aborted) throw canceled(`the reading of blob ${digest} was given up`);
    const piece = await pieceAt(index);
    read += piece?.byteLength ?? 0;
    if (piece === undefined || read > size)
      throw dataLoss(`blob ${digest} is damaged: it has not the ${size} bytes that were put; run \`stopgo verify\``);
    yield piece;
  }
}
