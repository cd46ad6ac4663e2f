import { ownName } from './identity.ts';
import { signedIn } from './platform.ts';

/** Whether the platform is told who asks, with a key or by a session. */
export const isSignedIn = (): boolean => Object.keys(signedIn()).length > 0;

/** The name that goes along with a decision as a claim; empty where the platform knows who asks, or nobody has said a name. */
export const claimedName = (): string => (isSignedIn() ? '' : ownName());
