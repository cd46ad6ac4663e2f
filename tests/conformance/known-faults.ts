/** A test of the kit that no agent can pass that keeps to the text of the protocol, and why. */
export type KnownFault = {
  /** The end of the test's name, as pytest writes it with dots and `::`; with the beginning of its parameters if only those are meant. */
  readonly test: string;
  /** With these arguments of the kit only; absent: always. */
  readonly transport?: string;
  readonly reason: string;
};

/** True if a fault is of this test, over whichever transport. */
export const isOf = ({ test: known }: KnownFault, test: string): boolean =>
  known.includes('[') ? test.includes(`::${known}`) : test.replace(/\[.*$/, '').endsWith(known);

const ERROR_MAP =
  'version 1.0.1, section 5.4: FAILED_PRECONDITION; the kit has the table of 1.0.0, which said UNIMPLEMENTED';
const MEDIA_TYPE =
  'version 1.0.1, section 11.1: answers are application/a2a+json; the kit has the text of 1.0.0, which said application/json';

export const KNOWN_FAULTS: Readonly<Record<'1.0' | '0.3', readonly KnownFault[]>> = {
  '1.0': [
    { test: 'TestGrpcStatusCodes::test_push_not_supported_returns_unimplemented', reason: ERROR_MAP },
    { test: 'TestGrpcStatusCodes::test_version_not_supported_returns_unimplemented', reason: ERROR_MAP },
    { test: 'TestGrpcStatusCodes::test_unsupported_operation_returns_unimplemented', reason: ERROR_MAP },
    { test: 'TestRestErrorStructure::test_error_uses_aip193_format', reason: MEDIA_TYPE },
    { test: 'TestRestFormat::test_response_content_type', reason: MEDIA_TYPE },
    { test: 'TestAIP193ErrorFormat::test_error_content_type', reason: MEDIA_TYPE },
    {
      test: 'test_must_requirement[CORE-SEND-003-',
      reason:
        'the requirement, section 3.1.1, is that a media type which the agent does not support is refused with ContentTypeNotSupportedError; the test wants it taken',
    },
    {
      test: 'test_streaming_content_type',
      reason:
        'the test does not look whether the card offers streams; it fails where the card says that there are none',
    },
  ],
  '0.3': [
    {
      test: 'test_https_url_in_agent_card',
      reason: 'the kit expects it to fail: an agent on this machine is reached without TLS',
    },
    {
      test: 'TestAuthenticatedExtendedCard::test_authenticated_extended_card_without_auth',
      reason:
        'the kit wants a request without credentials refused where the card declares no scheme to authenticate by; its own test_extended_agent_card_authentication_required does not, and by section 7.10 a client authenticates by a scheme that is declared',
    },
    {
      test: 'test_message_send_continue_with_contextid',
      transport: 'rest',
      reason:
        'over HTTP+JSON the kit does not find the contextId in the answer, makes one up, and wants a message taken that names a task and the context of another one',
    },
    {
      test: 'test_task_state_transitions',
      reason:
        'the kit sends without `blocking`, wants the task to be still worked on when it is answered, and to take another message then; section 7.1 leaves the first to the agent, and none says the second',
    },
  ],
};
