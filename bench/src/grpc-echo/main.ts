// The least that a gRPC call, and a message over an open stream, can cost on this machine: bytes come back as they were.
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { asIs, echoPaths } from '../grpc-echo.ts';

const server = new Server();
const method = { requestSerialize: asIs, requestDeserialize: asIs, responseSerialize: asIs, responseDeserialize: asIs };
server.addService(
  {
    call: { path: echoPaths.call, requestStream: false, responseStream: false, ...method },
    talk: { path: echoPaths.talk, requestStream: true, responseStream: true, ...method },
  },
  {
    call: (call: { request: Buffer }, answer: (error: null, value: Buffer) => void) => answer(null, call.request),
    talk: (call: NodeJS.ReadWriteStream) => {
      call.on('data', (message: Buffer) => call.write(message));
      call.on('end', () => call.end());
    },
  },
);
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  process.stdout.write(`listening on 127.0.0.1:${port}\n`);
});
