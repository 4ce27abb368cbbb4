import { crc32 } from 'node:zlib'
import { encode } from 'fast-png'
import jpeg from 'jpeg-js'

/** Small valid images of one colour. The first pixel contains the seed, so that each seed gives other content. */
export function png(width: number, height: number, seed = 0): Buffer {
  const data = new Uint8Array(width * height * 3).fill(120)
  data[0] = seed & 255
  data[1] = (seed >> 8) & 255
  return Buffer.from(encode({ width, height, data, channels: 3, depth: 8 }))
}

export function jpg(width: number, height: number): Buffer {
  return Buffer.from(jpeg.encode({ width, height, data: Buffer.alloc(width * height * 4, 200) }, 80).data)
}

/** Only header and trailer, with any size. With `frame`, the first frame has that size and follows a comment. */
export function gifHead(width: number, height: number, frame?: readonly [width: number, height: number]): Buffer {
  const bytes = Buffer.alloc(13)
  bytes.write('GIF89a', 'latin1')
  bytes.writeUInt16LE(width, 6)
  bytes.writeUInt16LE(height, 8)
  const middle = Buffer.alloc(frame ? 17 : 0)
  if (frame) {
    middle.set([0x21, 0xfe, 2, 0x2c, 0x2c, 0, 0x2c])
    middle.writeUInt16LE(frame[0], 11)
    middle.writeUInt16LE(frame[1], 13)
  }
  return Buffer.concat([bytes, middle, Buffer.from([0x3b])])
}

/** A TIFF header with only the orientation, as cameras write it. */
function turned(orientation: number): Buffer {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex')
  tiff.writeUInt16BE(orientation, 18)
  return tiff
}

export function turnedJpg(width: number, height: number, orientation: number): Buffer {
  const [plain, tiff] = [jpg(width, height), turned(orientation)]
  const head = Buffer.from([0xff, 0xe1, 0, 8 + tiff.length])
  return Buffer.concat([plain.subarray(0, 2), head, Buffer.from('Exif\0\0'), tiff, plain.subarray(2)])
}

export function turnedPng(width: number, height: number, orientation: number): Buffer {
  const [plain, tiff] = [png(width, height), turned(orientation)]
  const chunk = Buffer.concat([Buffer.from('eXIf'), tiff])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(tiff.length)
  check.writeUInt32BE(crc32(chunk))
  return Buffer.concat([plain.subarray(0, 33), length, chunk, check, plain.subarray(33)])
}

/** A lossless image of one pixel. */
export const webp = (): Buffer => Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64')

export function webpHead(form: 'VP8X' | 'VP8L' | 'VP8 ', width: number, height: number): Buffer {
  const bytes = Buffer.alloc(40)
  bytes.write('RIFF', 'latin1')
  bytes.writeUInt32LE(32, 4)
  bytes.write('WEBP', 8, 'latin1')
  bytes.write(form, 12, 'latin1')
  if (form === 'VP8X') {
    bytes.writeUIntLE(width - 1, 24, 3)
    bytes.writeUIntLE(height - 1, 27, 3)
  } else if (form === 'VP8L') {
    bytes[20] = 0x2f
    bytes.writeUInt32LE((width - 1) | ((height - 1) << 14), 21)
  } else {
    bytes.set([0x9d, 0x01, 0x2a], 23)
    bytes.writeUInt16LE(width, 26)
    bytes.writeUInt16LE(height, 28)
  }
  return bytes
}

/** Only a PNG header with any size. Its reader never decodes it. */
export function pngClaim(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(33)
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13])
  bytes.write('IHDR', 12, 'latin1')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}
