/** What the platform has promised with a 2xx: it must be in the log. */
export type Acknowledged =
  | { readonly kind: 'message'; readonly conversationId: string; readonly key: string; readonly text: string }
  | {
      readonly kind: 'decision';
      readonly conversationId: string;
      readonly key: string;
      readonly approvalId: string;
      readonly decision: string;
    }
  | { readonly kind: 'answer'; readonly conversationId: string; readonly key: string; readonly inputId: string }
  | { readonly kind: 'cancel'; readonly conversationId: string; readonly key: string };
