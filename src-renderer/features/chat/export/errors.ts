/** The messages are too long for one picture. */
export class ImageTooLong extends Error {
  override name = 'ImageTooLong'
}
