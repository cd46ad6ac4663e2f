import type { LogEvent } from '../api/payload.ts';
import { takeEvent } from './take-event.ts';
import { GrowingTranscript } from './transcript.ts';

/** Makes a transcript from the events of a conversation, and from pieces of answers. */
export class TranscriptBuilder extends GrowingTranscript {
  /** Takes in one more event. One that was seen already, or whose type is not known here, changes nothing that is shown. */
  take(event: LogEvent): void {
    if (this.goOnTo(event.revision)) takeEvent(this, event);
  }
}
