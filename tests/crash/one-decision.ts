import { type Answer, PatientClient } from '../promises/patient-client.ts';
import { conclude, type Findings } from './findings.ts';
import { newNotes } from './sweep.ts';
import { Teller } from './teller.ts';
import { World, type WorldOptions } from './world.ts';

/** People who approve the same call at the same moment. */
export const approversMax = 50;

/** Many simultaneous approvals of one call: one takes effect, all others are told who decided what and when. */
export async function oneDecision(options: WorldOptions): Promise<Findings> {
  const world = await World.open(options);
  const notes = newNotes();
  const teller = new Teller(world, 'one-decision', notes);
  const { pending_approvals: pending } = await teller.open(`create a server ${teller.tag} with value 50`);
  const client = new PatientClient({ address: () => world.ready() });
  const approvers = Array.from({ length: approversMax }, (_, index) => `approver-${index}`);
  const answers = await Promise.all(
    approvers.map((approver) => client.post(`/approvals/${pending[0]?.uuid}`, { body: { approved: true }, approver })),
  );
  const winners = approvers.filter((_, index) => answers[index]?.status === 200);
  if (winners.length !== 1) teller.wrong(`${winners.length} of ${approversMax} approvals were taken`);
  for (const answer of answers) {
    if (answer.status !== 200 && !tellsWho(answer, winners[0]))
      teller.wrong(`a late approval was answered ${text(answer)}`);
  }
  await teller.toTheEnd((all) => all[0], true);
  const findings = await conclude(world, notes);
  if (findings.calls === 1) return findings;
  return { ...findings, violations: [...findings.violations, `one approved call ran ${findings.calls} times`] };
}

function tellsWho({ status, body }: Answer, winner: string | undefined): boolean {
  const { decision, decided_by: by, decided_at: at } = body;
  return status === 409 && decision === 'approved' && by === winner && !Number.isNaN(Date.parse(at ?? ''));
}

function text({ status, body }: Answer): string {
  return `${status} ${JSON.stringify(body).slice(0, 300)}`;
}
