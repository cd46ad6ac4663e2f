import { eventCharactersMax } from './bounds.ts';

/**
 * An event stream of which only those events go on that `isSound` takes; the first other one ends it with an error. The SDK
 * prints what it cannot read of a stream over HTTP+JSON, and that may be anything, secrets too.
 */
export function soundEvents(response: Response, isSound: (data: string) => boolean): Response {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!isStream || response.body === null) return response;
  let rest = '';
  const check = new TransformStream<string, string>({
    transform: (chunk, controller) => {
      const blocks = (rest + chunk).split(/(?<=\r?\n\r?\n)/);
      rest = blocks.pop() ?? '';
      if (/\r?\n\r?\n$/.test(rest)) {
        blocks.push(rest);
        rest = '';
      }
      if (rest.length > eventCharactersMax) controller.error(new Error('the agent has sent an event that never ends'));
      for (const block of blocks) {
        if (!isSound(dataOf(block)))
          return controller.error(new Error('the agent has sent an event that cannot be read'));
        controller.enqueue(block);
      }
    },
    flush: (controller) => {
      // What a broken connection left of an event is none.
      if (rest !== '' && isSound(dataOf(rest))) controller.enqueue(rest);
    },
  });
  const body = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(check)
    .pipeThrough(new TextEncoderStream());
  return new Response(body, { status: response.status, headers: response.headers });
}

/** The data of an event; empty for a comment. */
const dataOf = (block: string): string =>
  block
    .split(/\r?\n/)
    .flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length).trimStart()] : []))
    .join('\n');
