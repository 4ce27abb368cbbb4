/** The upload is not readable audio. The message is meant for the person who sent it. */
export class MediaError extends Error {
  readonly kind = 'unreadable'
  override name = 'MediaError'
}
