/** The messages are too long for one image. */
export class ImageTooLong extends Error {
  override name = 'ImageTooLong'
}
