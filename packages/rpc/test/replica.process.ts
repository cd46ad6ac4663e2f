// One replica of the echo service. Answers `echo` with its process id and the text, and `count` with the texts it has
// been asked to echo so far, one per message.
import { bind, startGrpcServer } from '../src/index.ts';
import { EchoService } from './gen/stopgo/testing/v1/echo_pb.ts';

const [, , address = '127.0.0.1:0'] = process.argv;
const asked: string[] = [];

const server = await startGrpcServer({
  address,
  services: [
    bind(EchoService, {
      echo: async ({ text }) => {
        asked.push(text);
        return { text: `${process.pid} ${text}` };
      },
      async *count() {
        for (const text of asked) yield { payload: Buffer.from(text) };
      },
    }),
  ],
});
process.send?.(server.address);
// Its parent ended: so does it.
process.once('disconnect', () => process.exit());
