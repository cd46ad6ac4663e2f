// Receives what the platform posts to a webhook, as a program of your own would: checks who sent it, drops what comes twice, and prints a
// card where yours would send a chat message or a mail.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = process.env.WEBHOOK_SECRET ?? '';
if (!secret.startsWith('whsec_')) {
  // With an empty secret everybody could sign.
  console.error('set WEBHOOK_SECRET to the secret that the platform signs with: whsec_ and base64');
  process.exit(1);
}
const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
const toleranceSeconds = 5 * 60;
const bodyBytesMax = 64 * 1024;

/** What was posted, if the platform has signed it; else throws. The library `standardwebhooks` does the same: `new Webhook(secret).verify(…)`. */
function verified(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  const ageSeconds = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(ageSeconds <= toleranceSeconds)) throw new Error('too old, or from the future: somebody may send it again');
  const right = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  // While a secret is replaced there are two signatures, one with each: one must be right.
  const isRight = signatures.split(' ').some((one) => {
    const [version, signature = ''] = one.split(',');
    const bytes = Buffer.from(signature, 'base64');
    return version === 'v1' && bytes.length === right.length && timingSafeEqual(bytes, right);
  });
  if (!isRight) throw new Error('not signed with our secret');
  return JSON.parse(body);
}

/** Ids of what was taken. A post whose answer was lost comes again under the same id. A program that runs for long forgets them after a day. */
const seen = new Set();

const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk;
    if (body.length > bodyBytesMax) return void response.writeHead(413).end();
  }
  try {
    const notice = verified(request.headers, body);
    const id = request.headers['webhook-id'];
    if (!seen.has(id)) console.log(card(notice));
    seen.add(id);
    response.writeHead(204).end();
  } catch (error) {
    console.log(`refused: ${error.message}`);
    response.writeHead(401).end();
  }
});

/** Where the platform is, if what it sends does not say so (`public_url`). */
const platform = process.env.PLATFORM_URL ?? 'http://127.0.0.1:8080';

/** What a chat would show: of what is settled how, of what waits a way to decide. */
function card({ type, data: { approval, actor, link } }) {
  const { title, status, decided_by: by } = approval;
  if (status !== 'pending') return `card: ${title}: ${status}${by === undefined ? '' : ` by ${by.name}`}`;
  const votes = approval.votes_needed === 1 ? '' : `, ${approval.votes.length} of ${approval.votes_needed} votes`;
  return [
    `card: ${title} (${type}, by ${actor.name ?? actor.kind}${votes})`,
    `  ${JSON.stringify(approval.arguments)}`,
    `  ${approval.reason}`,
    ...(link === undefined ? commands(approval) : [`  to decide as ${link.user}: ${link.url}`]),
  ].join('\n');
}

/** In place of buttons: command lines, with the API key of whoever pastes them where people sign in. */
function commands({ choices, url, path }) {
  const line = (choice) =>
    `  [${choice}] curl -s ${url ?? platform + path} -H "X-API-Key: $STOPGO_API_KEY" -d '{"action":"${choice}"}'`;
  return choices.map(line);
}

server.listen(Number(process.env.PORT ?? 8090), '127.0.0.1', () =>
  console.log(`listening on http://127.0.0.1:${server.address().port}/`),
);
process.once('SIGTERM', () => server.close());
