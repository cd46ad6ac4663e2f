import type { ContentBlock } from '@modelcontextprotocol/client';

/** Bytes in a result, as its server sent them: an image, a sound, or a resource that is no text. */
export type Attachment = {
  readonly base64: string;
  /** What the server says that it is; empty if it does not. */
  readonly declaredType: string;
  /** The address of a resource; else empty. */
  readonly name: string;
};

/** The attachments of a result, in order. */
export function attachmentsOf(content: readonly ContentBlock[]): Attachment[] {
  return content.flatMap((block): Attachment[] => {
    if (block.type === 'image' || block.type === 'audio')
      return [{ base64: block.data, declaredType: block.mimeType, name: '' }];
    if (block.type !== 'resource' || 'text' in block.resource) return [];
    const { blob, mimeType = '', uri } = block.resource;
    return [{ base64: blob, declaredType: mimeType, name: uri }];
  });
}
