/**
 * The orientation of a JPEG, 1 (upright) to 8, from the Orientation tag of its EXIF block (CIPA DC-008, 4.6.4). 1 when absent. Reads only
 * the given bytes, each once.
 */
export function orientationOf(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.byteLength < 12 || view.getUint16(0) !== 0xffd8) return 1
  for (let at = 2; at + 10 < view.byteLength; ) {
    const marker = view.getUint16(at)
    // Image data starts here: no metadata follows.
    if (marker >> 8 !== 0xff || marker === 0xffda) return 1
    const length = view.getUint16(at + 2)
    const isExif = marker === 0xffe1 && view.getUint32(at + 4) === 0x45786966
    if (isExif)
      return fromTiff(
        new DataView(
          view.buffer,
          view.byteOffset + at + 10,
          Math.max(0, Math.min(length - 8, view.byteLength - at - 10)),
        ),
      )
    if (length < 2) return 1
    at += 2 + length
  }
  return 1
}

function fromTiff(tiff: DataView): number {
  if (tiff.byteLength < 14) return 1
  const little = tiff.getUint16(0) === 0x4949
  const directory = tiff.getUint32(4, little)
  if (directory + 2 > tiff.byteLength) return 1
  const entries = tiff.getUint16(directory, little)
  for (let index = 0; index < entries; index++) {
    const entry = directory + 2 + index * 12
    if (entry + 12 > tiff.byteLength) return 1
    if (tiff.getUint16(entry, little) !== 0x0112) continue
    const value = tiff.getUint16(entry + 8, little)
    return value >= 1 && value <= 8 ? value : 1
  }
  return 1
}
