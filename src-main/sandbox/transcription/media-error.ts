/** The upload is not audio that this service can read. The message is fit for the person who sent it. */
export class MediaError extends Error {
  readonly kind = 'unreadable'
  override name = 'MediaError'
}
