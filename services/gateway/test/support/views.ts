import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { facts, orchestrator, views } from '@stopgo/proto';

export const ID = '7d1f3c1e-5b0a-4c55-9a3e-0f7c2f1f9b1d';
export const APPROVAL = '3b241101-e2bb-4255-8caf-4136c566a962';
export const OTHER_APPROVAL = '9c8d2a10-6a9e-4f0b-9d52-1a4f4a7b1c22';
export const RUN = 'a1f0c9e4-3c5d-4a57-8f58-5a2f0e9d7c11';
export const AT = timestampFromMs(Date.UTC(2026, 0, 15, 10, 30));

export const { TurnOutcome } = orchestrator;

type Fields<T> = Partial<Omit<T, '$typeName' | '$unknown'>>;

export const approval = (more: Fields<views.Approval> = {}): views.Approval =>
  create(views.ApprovalSchema, {
    id: APPROVAL,
    conversationId: ID,
    runId: RUN,
    kind: facts.ApprovalKind.TOOL,
    tool: 'resources_add',
    server: 'resources',
    argumentsJson: '{"name":"x","value":42}',
    description: '**ADD Resource**\n\nName: x\nValue: 42',
    choices: ['approve', 'reject'],
    requestedAt: AT,
    status: views.ApprovalStatus.PENDING,
    ...more,
  });

/** A conversation that was just created, or one with another head and approvals. */
export const fresh = (
  head: Fields<views.ConversationHead> = {},
  pendingApprovals: views.Approval[] = [],
): views.ConversationView =>
  create(views.ConversationViewSchema, {
    head: {
      id: ID,
      sessionId: 's-1',
      status: views.ConversationStatus.ACTIVE,
      createdAt: AT,
      updatedAt: AT,
      revision: 1,
      ...head,
    },
    pendingApprovals,
  });

export const run = (status: views.RunStatus, response = ''): views.Run =>
  create(views.RunSchema, { id: RUN, status, response });

/** A conversation whose run has settled with an answer. */
export const settled = (response: string, head: Fields<views.ConversationHead> = {}): views.ConversationView =>
  fresh({ revision: 5, run: run(views.RunStatus.COMPLETED, response), ...head });

/** A conversation that waits for approvals. */
export const waiting = (
  pending: views.Approval[] = [approval()],
  head: Fields<views.ConversationHead> = {},
): views.ConversationView =>
  fresh(
    {
      revision: 4,
      status: views.ConversationStatus.WAITING_APPROVAL,
      run: run(views.RunStatus.WAITING),
      ...head,
    },
    pending,
  );

/** A conversation whose run is being worked on. */
export const working = (): views.ConversationView => fresh({ revision: 3, run: run(views.RunStatus.WORKING) });

/** A store that holds some messages of one conversation and gives a few at a time. */
export const storeOf = (
  view: views.ConversationView,
  messages: readonly MessageInitShape<typeof views.MessageSchema>[] = [],
  perPage = 100,
) => ({
  getConversation: async ({ afterSequence, messageLimit }: { afterSequence: number; messageLimit: number }) => {
    const after = messages.filter(({ sequence = 0 }) => sequence > afterSequence);
    const page = after.slice(0, Math.min(perPage, messageLimit));
    return { view, messages: page, more: page.length < after.length };
  },
});

export const message = (sequence: number, role: string, content: string) => ({
  id: `m${sequence}`,
  role,
  content,
  sequence,
  createdAt: AT,
});
